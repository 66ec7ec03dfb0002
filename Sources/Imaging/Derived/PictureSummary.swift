/// What a grid shows until the picture has loaded.
package struct PictureSummary: Sendable, Equatable {
    /// About 25 bytes, see ``ThumbHash``.
    package var thumbHash: [UInt8]
    /// The color that most of the picture is close to.
    package var color: RGB
    /// Size of the original in pixels as seen, orientation applied.
    package var width: Int
    package var height: Int

    package init(thumbHash: [UInt8], color: RGB, width: Int, height: Int) {
        self.thumbHash = thumbHash
        self.color = color
        self.width = width
        self.height = height
    }

    /// Pictures that are summarized are fitted into this.
    static let box = Level(name: "", width: ThumbHash.maxSide, height: ThumbHash.maxSide)

    /// Summarizes pixels that were made from an original of `size`.
    init(_ pixels: PixelBuffer, of size: PixelSize) throws(ImagingError) {
        let small = pixels.size.fitting(Self.box)
        let pixels = small == pixels.size ? pixels : try pixels.resampled(to: small)
        self.init(
            thumbHash: ThumbHash.encode(pixels), color: pixels.dominantColor,
            width: size.width, height: size.height)
    }
}
