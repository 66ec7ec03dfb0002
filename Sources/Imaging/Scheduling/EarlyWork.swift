/// The first of a render's thumbnails, which are delivered before the others are made. Used by one thread
/// at a time.
final class EarlyWork {
    /// Number of the render's first renditions.
    let count: Int
    private var delivery: ((_ seen: PixelSize, [Thumbnail]) -> Void)?

    init(count: Int, deliver: @escaping (_ seen: PixelSize, [Thumbnail]) -> Void) {
        self.count = count
        delivery = deliver
    }

    /// Delivers the thumbnails. Later calls do nothing: a lane that gives way to the other one may have
    /// delivered before.
    func deliver(_ seen: PixelSize, _ thumbnails: [Thumbnail]) {
        let first = delivery
        delivery = nil
        first?(seen, thumbnails)
    }
}
