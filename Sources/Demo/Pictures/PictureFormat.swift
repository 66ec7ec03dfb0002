import Imaging

/// The formats that image hosts are asked for.
enum PictureFormat: Sendable, Hashable {
    case jpeg, png, webp

    /// As addresses end.
    init?(extension name: some StringProtocol) {
        switch name {
        case "jpg": self = .jpeg
        case "png": self = .png
        case "webp": self = .webp
        default: return nil
        }
    }

    var contentType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        }
    }

    func encode(_ canvas: Canvas, quality: Int) throws(ImagingError) -> [UInt8] {
        switch self {
        case .jpeg: try canvas.encodeJPEG(quality: quality)
        case .png: try canvas.encodePNG()
        case .webp: try canvas.encodeWebP(quality: quality)
        }
    }
}
