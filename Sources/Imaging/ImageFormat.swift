/// What an original is, told from its first bytes and never from its name.
package enum ImageFormat: String, Sendable, CaseIterable, Codable {
    case jpeg, png, gif, webp, avif, heic, tiff, svg, bmp, jxl, jp2, exr, hdr

    /// As people write it: `JPEG`, `WebP`, ….
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

    /// The formats that thumbnails are made from, in the order people know them.
    package static let read: [ImageFormat] = [
        .jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .svg, .bmp, .jxl, .jp2, .exr, .hdr,
    ]
}
