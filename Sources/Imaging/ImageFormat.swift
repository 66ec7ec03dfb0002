/// The format of an original, detected from its content and never from its name.
package enum ImageFormat: String, Sendable, CaseIterable, Codable {
    // The best known first, for messages.
    case jpeg, png, gif, webp, avif, heic, tiff, svg, bmp, jxl, jp2, exr, hdr

    /// The name for people: `JPEG`, `WebP`, ….
    package var name: String {
        switch self {
        case .jpeg: "JPEG"
        case .png: "PNG"
        case .gif: "GIF"
        case .webp: "WebP"
        case .avif: "AVIF"
        case .heic: "HEIC"
        case .tiff: "TIFF"
        case .svg: "SVG"
        case .bmp: "BMP"
        case .jxl: "JPEG XL"
        case .jp2: "JPEG 2000"
        case .exr: "OpenEXR"
        case .hdr: "Radiance HDR"
        }
    }
}

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
}
