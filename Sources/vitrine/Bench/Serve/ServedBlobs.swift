/// What the rows of blobs request.
struct ServedBlobs: Sendable {
    /// Thumbnails by their digests, `/b/…`.
    var blobs: [ServedPicture] = []
    /// Originals of shows, `/o/…`.
    var originals: [ServedPicture] = []
    /// A contact sheet of a catalog page, `/sheet/…`.
    var sheets: [ServedPicture] = []

    var all: [ServedPicture] { blobs + originals + sheets }
}
