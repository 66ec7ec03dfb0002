/// The first of a render's thumbnails, which are delivered before the others are made.
struct EarlyWork {
    /// Number of the render's first renditions.
    let count: Int
    let deliver: (_ seen: PixelSize, [Thumbnail]) -> Void
}
