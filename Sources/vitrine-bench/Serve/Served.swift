import Catalog
import Console
import Fetch
import FoundationEssentials
import Imaging
import Serve

/// A thumbnail, an original or a sheet that a server has, as it was first served.
struct ServedPicture: Sendable {
    var path: String
    var body: [UInt8]
    var entityTag: String

    /// Asks a server for each path once, which fills its cache, and returns the good responses.
    ///
    /// - Throws: ``CommandError`` for any other response than 200.
    static func collect(
        _ paths: [String], port: Int, concurrency: Int
    ) async throws -> [ServedPicture] {
        try await withLoopbackFetcher(allowing: "127.0.0.0/8", concurrency: concurrency) {
            fetcher in
            try await paths.mapped(concurrency: concurrency) { path in
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
            }
        }
    }

    /// A request that must get these bytes.
    var request: LoadRequest {
        var request = LoadRequest.get(path)
        (request.body, request.length) = (body, body.count)
        return request
    }
}

/// Everything that the rows request, with the bytes that must come.
struct Served: Sendable {
    /// Thumbnails of the size of what a grid shows.
    var hits: [ServedPicture] = []
    /// Every level of every picture.
    var thumbnails: [ServedPicture] = []
    /// Thumbnails by their digests, `/b/…`.
    var blobs: [ServedPicture] = []
    /// Originals of shows, `/o/…`, and a contact sheet of a catalog page, `/sheet/…`.
    var originals: [ServedPicture] = []
    var sheets: [ServedPicture] = []
    var documents: [ServedDocument] = []

    private static let range = 1_000..<9_000
    /// Bodies of the size of what a grid shows.
    private static let sizes = 5_000...30_720
    /// Originals that the rows share.
    private static let originalCount = 8

    /// Of all thumbnails.
    var bytes: Int { thumbnails.reduce(0) { $0 + $1.body.count } }
    var meanHit: Int { hits.reduce(0) { $0 + $1.body.count } / max(1, hits.count) }

    /// Path and bytes of all files that a peer serves.
    var files: [(path: String, body: [UInt8])] {
        (thumbnails + blobs + originals + sheets).map { ($0.path, $0.body) }
            + documents.map { ($0.filePath, $0.body) }
    }

    /// Fills the cache of a server with every level of every picture, originals and a contact sheet.
    static func made(
        by server: ServerProcess, _ paths: SignedPaths, _ levels: [Level]
    ) async throws -> Served {
        let wanted = try levels.flatMap { level in
            try ["jpg", "webp"].flatMap { format in
                try paths.names.indices.map { try paths.path(level.name, $0, format: format) }
            }
        }
        var served = Served()
        served.thumbnails = try await ServedPicture.collect(
            wanted, port: server.port, concurrency: 16)
        served.hits = served.thumbnails.filter { sizes.contains($0.body.count) }
        if served.hits.count < 8 { served.hits = served.thumbnails }
        served.originals = try await ServedPicture.collect(
            (1...originalCount).map { "/o/tvmaze/show/\($0)" }, port: server.port, concurrency: 4)
        // The largest level whose sheet isn't over the limit of pixels.
        for level in levels.reversed() where served.sheets.isEmpty {
            let path = "/sheet/\(level.name)/tvmaze/shows.jpg"
            let sheets = try? await ServedPicture.collect([path], port: server.port, concurrency: 1)
            served.sheets = sheets ?? []
        }
        return served
    }

    /// Adds the blobs of the hits, and documents, and checks that the server has the bytes that were
    /// made.
    func completed(on port: Int) async throws -> Served {
        var served = self
        served.hits = try await hits(on: port, "vitrine")
        served.blobs = try await ServedPicture.collect(
            hits.map { "/b/" + $0.entityTag.filter { $0 != "\"" } }, port: port, concurrency: 8)
        let documents = try await ServedPicture.collect(
            ServedDocument.all.map(\.path), port: port, concurrency: 1)
        served.documents = zip(ServedDocument.all, documents).map { document, seen in
            var document = document
            let short = document.effort.flatMap { ContentCoding.gzip.encoded(seen.body, $0) }
            if short == nil { document.effort = nil }
            document.body = short ?? seen.body
            return document
        }
        return served
    }

    /// Returns the hits as a program serves them.
    ///
    /// - Throws: ``CommandError`` if one has other bytes.
    func hits(on port: Int, _ name: String) async throws -> [ServedPicture] {
        let seen = try await ServedPicture.collect(
            hits.map(\.path), port: port, concurrency: 8)
        for (seen, expected) in zip(seen, hits) where seen.body != expected.body {
            throw CommandError("\(name) serves other bytes at \(seen.path) than were stored.")
        }
        return seen
    }

    /// Returns the requests of a row.
    ///
    /// - Parameter isPeer: whether a peer gets them, which has documents as files.
    func requests(_ content: ServeRow.Content, isPeer: Bool = false) -> [LoadRequest] {
        switch content {
        case .hits: hits.map(\.request)
        case .thumbnails: thumbnails.map(\.request)
        case .blobs: blobs.map(\.request)
        case .originals: originals.map(\.request)
        case .sheets: sheets.map(\.request)
        case .conditional:
            hits.filter { !$0.entityTag.isEmpty }.map { picture in
                var request = LoadRequest.get(
                    picture.path, fields: [("If-None-Match", picture.entityTag)])
                request.statuses = [304]
                return request
            }
        case .ranges:
            (blobs + originals).filter { $0.body.count > Self.range.upperBound }.map { picture in
                let last = Self.range.upperBound - 1
                var request = LoadRequest.get(
                    picture.path, fields: [("Range", "bytes=\(Self.range.lowerBound)-\(last)")])
                request.statuses = [206]
                request.length = Self.range.count
                return request
            }
        case .document(let name):
            documents.filter { $0.name == name }.map { document in
                var request = LoadRequest.get(
                    isPeer ? document.filePath : document.path,
                    fields: [("Accept-Encoding", "gzip")])
                // What this program says changes meanwhile.
                if isPeer { (request.body, request.length) = (document.body, document.body.count) }
                return request
            }
        }
    }
}

/// Paths of thumbnails of the origin's pictures.
struct SignedPaths: Sendable {
    /// Signs the paths; made for one run.
    let key = UUID().uuidString
    /// Names of the files that the origin shows.
    let names: [String]

    /// The address of a picture.
    ///
    /// - Parameter copy: a number that makes it another original with the same picture.
    func url(_ number: Int, copy: Int) -> String {
        "https://\(BenchOrigin.pictureHost)/\(copy)/\(names[number % names.count])"
    }

    /// Returns the path of a level of a picture, such as `/t/m/url/…/….jpg`.
    func path(
        _ level: String, _ number: Int, copy: Int = 0, format: String = "jpg"
    ) throws -> String {
        let item = try SignedURL.item(of: url(number, copy: copy))
        let code = try URLSignature(keys: key).sign(
            level: level, encodedURL: item.id, expires: nil)
        return "/t/\(level)/url/\(code)/\(item.id).\(format)"
    }
}
