/// Thumbnails that callers wait for while the others are made.
package struct EarlyThumbnails: Sendable {
    let renditions: Set<Rendition>
    let deliver: @Sendable ([Thumbnail]) -> Void

    /// - Parameter deliver: called once, on a render thread, as soon as the thumbnails of `renditions`
    ///   are made. The render may still fail. Must not block.
    package init(
        _ renditions: Set<Rendition>, deliver: @escaping @Sendable ([Thumbnail]) -> Void
    ) {
        self.renditions = renditions
        self.deliver = deliver
    }

    /// Returns the renditions with the early ones first, and how many these are.
    func sorted(_ renditions: [Rendition]) -> (renditions: [Rendition], early: Int) {
        let first = renditions.filter(self.renditions.contains)
        return (first + renditions.filter { !self.renditions.contains($0) }, first.count)
    }
}

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
