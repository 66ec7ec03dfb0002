import Catalog
import Fetch
import FoundationEssentials

/// A thumbnail that a server has, as it was first served.
struct ServedPicture: Sendable {
    var path: String
    var body: [UInt8]
    var entityTag: String
}

/// Paths of thumbnails of the origin's pictures, and what a server answers there.
struct ServedPictures: Sendable {
    /// Signs the paths; made for one run.
    let key: String
    /// Names of the files that the origin shows.
    let names: [String]
    /// Scheme of the origin.
    let scheme: String
    private let signature: URLSignature

    init(names: [String], scheme: String = "https") {
        key = UUID().uuidString
        self.names = names
        self.scheme = scheme
        signature = URLSignature(keys: key)
    }

    /// Returns the path of a level of a picture, such as `/t/m/url/…/….jpg`.
    ///
    /// - Parameter copy: a number that makes it another original with the same picture.
    func path(_ level: String, _ name: String, copy: Int = 0, format: String) throws -> String {
        let item = try SignedURL.item(
            of: "\(scheme)://\(BenchOrigin.pictureHost)/\(copy)/\(name)")
        let code = try signature.sign(level: level, encodedURL: item.id, expires: nil)
        return "/t/\(level)/url/\(code)/\(item.id).\(format)"
    }

    /// Asks a server for each path once, which fills its cache, and returns the good responses.
    ///
    /// - Throws: ``CommandError`` for any other response than 200.
    static func collect(_ paths: [String], port: Int, concurrency: Int) async throws
        -> [ServedPicture]
    {
        var configuration = FetchConfiguration()
        configuration.allowedNetworks = ["127.0.0.0/8"].compactMap(Network.init)
        configuration.defaultHost = HostPolicy(maxConcurrent: concurrency)
        configuration.maxTransfers = concurrency
        let fetcher = try Fetcher(configuration)
        let outcome: Result<[ServedPicture], any Error>
        do {
            outcome = .success(
                try await BoundedMap.run(paths, concurrency: concurrency) { path in
                    let response = try await fetcher.fetch(
                        FetchRequest(
                            url: "http://127.0.0.1:\(port)\(path)", purpose: .original,
                            maxBytes: 64 << 20))
                    guard response.status == 200 else {
                        throw CommandError(
                            "The server under measurement answered \(response.status) for \(path); "
                                + "expected 200.")
                    }
                    return ServedPicture(
                        path: path, body: response.body, entityTag: response.header("etag") ?? "")
                })
        } catch {
            outcome = .failure(error)
        }
        await fetcher.shutdown()
        return try outcome.get()
    }
}

/// Work on many values, some at a time.
enum BoundedMap {
    /// Returns the results in the order of the values. The first error ends it.
    static func run<Input: Sendable, Output: Sendable>(
        _ values: [Input], concurrency: Int,
        _ body: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> [Output] {
        var results = [Output?](repeating: nil, count: values.count)
        try await withThrowingTaskGroup(of: (Int, Output).self) { group in
            var next = 0
            func add() {
                guard next < values.count else { return }
                let (index, value) = (next, values[next])
                group.addTask { (index, try await body(value)) }
                next += 1
            }
            for _ in 0..<max(1, concurrency) { add() }
            while let (index, result) = try await group.next() {
                results[index] = result
                add()
            }
        }
        return results.compactMap(\.self)
    }
}
