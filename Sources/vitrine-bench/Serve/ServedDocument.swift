import Serve

/// A document of the service, with the bytes that a client gets that accepts gzip.
struct ServedDocument: Sendable {
    /// Where a peer has documents as they are, and compressed ones.
    static let (plainFiles, compressedFiles) = ("/documents/plain/", "/documents/gzip/")
    static let all: [ServedDocument] = [
        ServedDocument(
            name: "page", words: "a catalog page of 240 shows", path: "/v1/tvmaze/shows?page=0",
            effort: .quick),
        ServedDocument(name: "item", words: "an item", path: "/v1/tvmaze/show/1", effort: .quick),
        ServedDocument(name: "gallery", words: "the gallery's page", path: "/", effort: .thorough),
        ServedDocument(
            name: "description", words: "the OpenAPI description", path: "/openapi.json",
            effort: .thorough),
        ServedDocument(name: "metrics", words: "the metrics", path: "/metrics", effort: nil),
    ]

    /// Last part of the rows' ids.
    var name: String
    var words: String
    var path: String
    /// With which the service compresses it; nil where it doesn't.
    var effort: ContentCoding.Effort?
    var body: [UInt8] = []

    /// Where a peer has these bytes as a file. The directory tells how they are coded.
    var filePath: String { (effort == nil ? Self.plainFiles : Self.compressedFiles) + name }
}
