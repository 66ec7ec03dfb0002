/// An encoded rendition.
package struct Thumbnail: Sendable {
    package var rendition: Rendition
    package var width: Int
    package var height: Int
    package var bytes: [UInt8]

    package init(rendition: Rendition, width: Int, height: Int, bytes: [UInt8]) {
        self.rendition = rendition
        self.width = width
        self.height = height
        self.bytes = bytes
    }
}
