/// What the header of an original says.
package struct ImageInfo: Sendable, Equatable {
    package var format: ImageFormat
    /// Size in pixels as seen, orientation applied.
    package var width: Int
    package var height: Int
    /// Whether there may be transparent pixels.
    package var hasAlpha: Bool
    /// Progressive or interlaced: decoders keep the whole picture in memory. Always false for AVIF,
    /// HEIC and TIFF.
    package var isProgressive: Bool

    package init(
        format: ImageFormat, width: Int, height: Int, hasAlpha: Bool, isProgressive: Bool
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.hasAlpha = hasAlpha
        self.isProgressive = isProgressive
    }
}
