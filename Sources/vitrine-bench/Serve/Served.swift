import Catalog
import Console
import Fetch
import FoundationEssentials
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
        var configuration = FetchConfiguration()
        configuration.allowedNetworks = ["127.0.0.0/8"].compactMap(Network.init)
        configuration.defaultHost = HostPolicy(maxConcurrent: concurrency)
        configuration.maxTransfers = concurrency
        return try await withFetcher(configuration) { fetcher in
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
            }
        }
    }

    /// A request that must get these bytes.
    var request: LoadRequest {
        var request = LoadRequest.get(path)
        request.body = body
        request.length = body.count
        return request
    }
}

/// A document of the service, with the bytes that a client gets that accepts gzip.
struct ServedDocument: Sendable {
    /// Where a peer has documents as they are, and compressed ones.
    static let (plainFiles, compressedFiles) = ("/documents/plain/", "/documents/gzip/")
    static let accepts = [("Accept-Encoding", "gzip")]
    /// With the effort that the service compresses each with; nil where it doesn't.
    static let all: [(name: String, path: String, effort: ContentCoding.Effort?)] = [
        ("page", "/v1/tvmaze/shows?page=0", .quick), ("item", "/v1/tvmaze/show/1", .quick),
        ("gallery", "/", .thorough), ("description", "/openapi.json", .thorough),
        ("metrics", "/metrics", nil),
    ]

    /// Last part of the rows' ids.
    var name: String
    var path: String
    var body: [UInt8]
    var isCompressed: Bool

    static func compressed(_ body: [UInt8], _ effort: ContentCoding.Effort) -> [UInt8]? {
        ContentCoding.gzip.encoded(body, effort)
    }

    /// Where a peer has these bytes as a file. The directory tells how they are coded.
    var filePath: String { (isCompressed ? Self.compressedFiles : Self.plainFiles) + name }
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

    /// Path and bytes of all files that a peer serves.
    var files: [(path: String, body: [UInt8])] {
        (thumbnails + blobs + originals + sheets).map { ($0.path, $0.body) }
            + documents.map { ($0.filePath, $0.body) }
    }

    private static let range = 1_000..<9_000

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
                    isPeer ? document.filePath : document.path, fields: ServedDocument.accepts)
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
