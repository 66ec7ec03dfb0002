/// An encoded rendition.
package struct Thumbnail: Sendable {
    package var rendition: Rendition
    package var width: Int
    package var height: Int
    package var bytes: [UInt8]
    /// The lane that made it.
    package var lane: Lane

    package init(
        rendition: Rendition, width: Int, height: Int, bytes: [UInt8], lane: Lane = .libvips
    ) {
        self.rendition = rendition
        self.width = width
        self.height = height
        self.bytes = bytes
        self.lane = lane
    }
}
