import Imaging

extension ImageFormat {
    /// The media type of the format.
    var contentType: String {
        switch self {
        case .svg: "image/svg+xml"
        // Unregistered types, but the ones that programs use.
        case .exr: "image/x-exr"
        case .hdr: "image/vnd.radiance"
        case .jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .bmp, .jxl, .jp2: "image/\(rawValue)"
        }
    }
}
