import Imaging

extension ImageFormat {
    /// The media type of the bytes.
    var contentType: String {
        switch self {
        case .svg: "image/svg+xml"
        // Not registered, but what programs call it.
        case .exr: "image/x-exr"
        case .hdr: "image/vnd.radiance"
        case .jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .bmp, .jxl, .jp2: "image/\(rawValue)"
        }
    }
}
