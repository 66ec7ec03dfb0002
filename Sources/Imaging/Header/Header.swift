/// What the first bytes of an original say, read here and not by a decoder: a few bytes can claim a
/// picture that a decoder would reserve gigabytes for.
struct Header: Equatable {
    var format: ImageFormat
    /// Size in pixels as stored, before the orientation is applied.
    var width: Int
    var height: Int
    var orientation = Orientation.upright
    var hasAlpha = false
    /// Progressive or interlaced: decoders keep the whole picture in memory.
    var isProgressive = false

    var size: PixelSize { PixelSize(width: width, height: height) }

    var info: ImageInfo {
        let seen = size.turned(orientation)
        return ImageInfo(
            format: format, width: seen.width, height: seen.height, hasAlpha: hasAlpha,
            isProgressive: isProgressive)
    }

    /// nil for formats whose header libvips has to read: AVIF, HEIC, TIFF, SVG.
    static func read(_ original: [UInt8], _ format: ImageFormat) throws(ImagingError) -> Header? {
        let header: Header
        switch format {
        case .jpeg: header = try JPEGHeader.read(original)
        case .png: header = try PNGHeader.read(original)
        case .gif: header = try GIFHeader.read(original)
        case .webp: header = try WebPHeader.read(original)
        case .avif:
            // libvips 8.14 doesn't take sequences for pictures either.
            if ByteReader(original).part(12).starts(with: "avis", at: 8) {
                throw .unsupported(format: "An AVIF animation")
            }
            return nil
        case .bmp: header = try BMPHeader.read(original).header
        case .jxl: header = try JXLHeader.read(original)
        case .jp2: header = try JP2Header.read(original)
        case .exr: header = try EXRHeader.read(original).header
        case .hdr: header = try RadianceHeader.read(original).header
        case .heic, .tiff, .svg: return nil
        }
        guard header.width > 0, header.height > 0 else {
            throw .broken(reason: "the header says \(header.width)×\(header.height) pixels")
        }
        return header
    }
}
