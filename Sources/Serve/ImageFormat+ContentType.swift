import Imaging

extension ImageFormat {
    /// The registered media type of the bytes.
    var contentType: String {
        switch self {
        case .svg: "image/svg+xml"
        case .jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .bmp, .jxl, .jp2: "image/\(rawValue)"
        }
    }
}
