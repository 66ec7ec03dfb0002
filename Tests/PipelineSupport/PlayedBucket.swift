package import Catalog
import Fetch
import Foundation
import Objects
package import Pipeline
import Synchronization
package import TestSupport

/// A bucket on a loopback port whose originals a pipeline reads. It misbehaves as a test scripts it.
///
///     let bucket = try await PlayedBucket.start()
///     bucket["a/1.jpg"] = bytes
///     let harness = try await Harness(sources: [bucket.source()])
package final class PlayedBucket: Sendable {
    /// An object, as the bucket describes it.
    private struct Object: Sendable {
        var bytes: [UInt8]
        /// No digest of the bytes.
        var tag: String
    }

    private struct State {
        var objects: [String: Object] = [:]
        var sorted: [String]?
        var version = 0
        var faults: [(key: String, reply: OriginReply)] = []
        var repeatsPages = false
        var forgetsTokens = false
    }

    package static let name = "posters"
    private static let bucketName = "shop"
    package static let keyID = "AKIDEXAMPLE"
    package static let secret = "geheim-9"
    private static let prefix = "shop/pictures/"
    private static let modified = "Wed, 21 Oct 2015 07:28:00 GMT"

    package let origin: OriginServer
    private let fetcher: Fetcher
    private let state = Mutex(State())

    package static func start() async throws -> PlayedBucket {
        let bucket = try PlayedBucket(try await OriginServer.start())
        bucket.origin.on("/*") { [weak bucket] in bucket?.answer($0) ?? .nothing }
        return bucket
    }

    private init(_ origin: OriginServer) throws {
        self.origin = origin
        var fetching = FetchConfiguration()
        fetching.reach = .endpoints
        fetching.retry.baseDelay = .milliseconds(1)
        fetching.retry.attempts = 2
        fetching.breaker.threshold = .max
        fetching.connectTimeout = .seconds(600)
        fetching.totalTimeout = .seconds(1_200)
        fetcher = try Fetcher(fetching)
    }

    /// The settings of a folder that shows it.
    package func definition() throws -> BucketDefinition {
        guard let service = S3Service(origin.url) else { throw CocoaError(.fileNoSuchFile) }
        var store = S3Configuration()
        store.bucket = Self.bucketName
        return BucketDefinition(
            name: Self.name, title: "Posters", service: service, store: store, prefix: Self.prefix)
    }

    /// Returns a source that reads it.
    package func source(
        _ metrics: PipelineMetrics = PipelineMetrics(),
        _ change: (inout BucketDefinition) -> Void = { _ in }
    ) throws -> BucketSource {
        var definition = try definition()
        change(&definition)
        let credentials = S3Credentials(accessKeyID: Self.keyID, secretAccessKey: Self.secret)
        return BucketSource(
            definition,
            S3Bucket(
                definition.service, definition.store, prefix: definition.prefix,
                folder: definition.name, CredentialProvider(credentials),
                fetch: BucketFetch(fetcher, of: definition.name, metrics)))
    }

    package subscript(key: String) -> [UInt8]? {
        get { state.withLock { $0.objects[Self.exact(Self.prefix + key)]?.bytes } }
        set {
            state.withLock { state in
                state.version += 1
                state.objects[Self.exact(Self.prefix + key)] = newValue.map {
                    Object(bytes: $0, tag: "\"v\(state.version)-2\"")
                }
                state.sorted = nil
            }
        }
    }

    /// Adds an object outside of the prefix.
    package func addOutside(_ key: String, _ bytes: [UInt8]) {
        state.withLock { state in
            state.objects[Self.exact(key)] = Object(bytes: bytes, tag: "\"out\"")
            state.sorted = nil
        }
    }

    /// Answers requests for a key with that instead; an empty key stands for lists.
    package func fault(_ key: String, _ reply: OriginReply) {
        state.withLock { $0.faults.append((key, reply)) }
    }

    package func recover() { state.withLock { $0.faults = [] } }

    /// From now on each part of a list is the first again, as if the token said nothing.
    package func repeatPages() { state.withLock { $0.repeatsPages = true } }

    /// From now on lists have no tokens.
    package func forgetTokens() { state.withLock { $0.forgetsTokens = true } }

    /// An error as S3 describes it.
    package static func error(
        _ status: Int, _ code: String, _ more: String = "",
        headers: [(name: String, value: String)] = []
    ) -> OriginReply {
        OriginReply(
            status, body: Array("<Error><Code>\(code)</Code>\(more)</Error>".utf8),
            headers: [("Content-Type", "application/xml")] + headers)
    }

    /// The requests so far, such as `GET a/1.jpg`, `GET a/1.jpg if v1-2`, `HEAD a/1.jpg` and `LIST`.
    package var asked: [String] {
        origin.log.requests.map { request in
            guard let key = Self.key(of: request) else { return "? \(request.path)" }
            if key.isEmpty { return "LIST" }
            let shown =
                key.utf8.starts(with: Self.prefix.utf8)
                ? String(Substring(key.utf8.dropFirst(Self.prefix.utf8.count))) : "OUTSIDE \(key)"
            let tag = request.header("if-none-match").map {
                " if \($0.trimmingCharacters(in: ["\""]))"
            }
            return "\(request.method) \(shown)\(tag ?? "")"
        }
    }

    /// The paths of requests as they were sent.
    package var paths: [String] { origin.log.requests.map(\.path) }

    /// The fields of all requests, one a line.
    package var sentFields: String {
        origin.log.requests.flatMap { $0.headers.map { "\($0.name): \($0.value)" } }
            .joined(separator: "\n")
    }

    // MARK: - Answering

    /// Swift's strings equal others that look the same. Hexadecimal digits don't.
    private static func exact(_ key: String) -> String {
        key.utf8.map { String(format: "%02x", $0) }.joined()
    }

    private static func text(_ exact: String) -> String {
        var bytes: [UInt8] = []
        var digits = Substring(exact)
        while !digits.isEmpty {
            bytes.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
            digits = digits.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func key(of request: OriginRequest) -> String? {
        let root = "/\(bucketName)"
        guard request.path == root || request.path.hasPrefix("\(root)/") else { return nil }
        return String(request.path.dropFirst(root.count + 1)).removingPercentEncoding
    }

    private func answer(_ request: OriginRequest) -> OriginReply {
        guard let key = Self.key(of: request) else { return Self.error(404, "NoSuchBucket") }
        return state.withLock { state in
            let below =
                key.utf8.starts(with: Self.prefix.utf8)
                ? String(Substring(key.utf8.dropFirst(Self.prefix.utf8.count))) : key
            if let fault = state.faults.first(where: { Self.exact($0.key) == Self.exact(below) }) {
                return fault.reply
            }
            guard
                request.header("authorization")?
                    .hasPrefix("AWS4-HMAC-SHA256 Credential=\(Self.keyID)/") == true
            else { return Self.error(403, "AccessDenied") }
            return key.isEmpty
                ? Self.list(request, &state) : Self.object(request, state.objects[Self.exact(key)])
        }
    }

    private static func object(_ request: OriginRequest, _ object: Object?) -> OriginReply {
        guard let object else { return error(404, "NoSuchKey") }
        let headers = [
            (name: "ETag", value: object.tag), (name: "Last-Modified", value: modified),
        ]
        if request.header("if-none-match") == object.tag {
            return OriginReply(304, headers: headers)
        }
        if request.method == "HEAD" {
            return OriginReply(
                200, headers: headers + [("Content-Length", "\(object.bytes.count)")])
        }
        return .ok(object.bytes, headers: headers)
    }

    private static func list(_ request: OriginRequest, _ state: inout State) -> OriginReply {
        func field(_ name: String) -> String {
            (request.field(name) ?? "").removingPercentEncoding ?? ""
        }
        guard field("list-type") == "2" else { return error(400, "InvalidArgument") }
        let sorted = state.sorted ?? state.objects.keys.sorted()
        state.sorted = sorted
        let limit = Int(field("max-keys")) ?? 1_000
        let prefix = exact(field("prefix"))
        let token = field("continuation-token")
        var after = exact(field("start-after"))
        if token.hasPrefix("token-") { after = String(token.dropFirst(6)) }
        if state.repeatsPages { after = "" }
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < max(prefix, after) { low = middle + 1 } else { high = middle }
        }
        let slash = field("delimiter").isEmpty ? nil : "2f"
        var (contents, prefixes, last, isTruncated) = ("", [String](), "", false)
        var count = 0
        for key in sorted[low...] {
            guard key.hasPrefix(prefix) else { break }
            if key <= after { continue }
            var directory: String?
            if let slash {
                var rest = key.dropFirst(prefix.count)
                while !rest.isEmpty, rest.prefix(2) != slash { rest = rest.dropFirst(2) }
                if !rest.isEmpty { directory = String(key.dropLast(rest.count - 2)) }
            }
            if let directory, directory == prefixes.last { continue }
            if let directory, after.hasPrefix(directory) { continue }
            if count == limit {
                isTruncated = true
                break
            }
            count += 1
            last = key
            if let directory {
                prefixes.append(directory)
                last = directory + "ff"
            } else {
                contents += """
                    <Contents><Key>\(encoded(key))</Key>\
                    <LastModified>2015-10-21T07:28:00.000Z</LastModified>\
                    <ETag>&quot;x&quot;</ETag><Size>\(state.objects[key]?.bytes.count ?? 0)</Size>\
                    <StorageClass>STANDARD</StorageClass></Contents>
                    """
            }
        }
        let next =
            isTruncated && !state.forgetsTokens
            ? "<NextContinuationToken>token-\(last)</NextContinuationToken>" : ""
        let common = prefixes.map {
            "<CommonPrefixes><Prefix>\(encoded($0))</Prefix></CommonPrefixes>"
        }
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>shop</Name>\
            <Prefix>\(encoded(prefix))</Prefix><EncodingType>url</EncodingType>\
            <IsTruncated>\(isTruncated)</IsTruncated>\(next)\(contents)\(common.joined())\
            </ListBucketResult>
            """
        return OriginReply(
            200, body: Array(text.utf8), headers: [("Content-Type", "application/xml")])
    }

    /// Amazon writes a blank as a plus sign.
    private static func encoded(_ exact: String) -> String {
        let plain = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._*/ ")
        return (text(exact).addingPercentEncoding(withAllowedCharacters: plain) ?? "")
            .replacingOccurrences(of: " ", with: "+")
    }
}
