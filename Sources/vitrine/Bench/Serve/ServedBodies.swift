/// What the rows of hits request, with its bytes.
struct ServedBodies: Sendable {
    /// Thumbnails of the size of what a grid shows.
    var hits: [ServedPicture]
    /// Every level of every picture.
    var thumbnails: [ServedPicture]
    var blobs: ServedBlobs
    var documents: [ServedDocument]
}

/// A document of the service, with the bytes that a client gets that accepts gzip.
struct ServedDocument: Sendable {
    /// Where a peer has documents as they are, and compressed ones.
    static let (plainFiles, compressedFiles) = ("/documents/plain/", "/documents/gzip/")

    /// Last part of the rows' ids.
    var name: String
    var path: String
    var body: [UInt8]
    var isCompressed: Bool

    /// Where a peer has these bytes as a file. The directory tells how they are coded.
    var filePath: String { (isCompressed ? Self.compressedFiles : Self.plainFiles) + name }
}
