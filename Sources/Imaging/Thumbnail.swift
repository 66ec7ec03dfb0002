/// An encoded rendition.
package struct Thumbnail: Sendable {
    package var rendition: Rendition
    package var width: Int
    package var height: Int
    package var bytes: [UInt8]
    /// The lane that made it.
    package var lane = Lane.libvips
}
