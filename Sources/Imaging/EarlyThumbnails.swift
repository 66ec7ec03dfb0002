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
