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
    /// Samples of a pixel in the file, alpha included; colours that are stored at half the size count
    /// by their share.
    var samples = 3.0
    /// Bits of a sample, at most.
    var depth = 8
    /// Frames, pages or pictures.
    var frames = 1
    /// How many rows a decoder makes at once, where the file decides; 0 elsewhere.
    var rowsAtOnce = 0
    /// Bytes of the original that are copied to be decoded.
    var copied = 0

    /// How many chunks, segments, boxes or pages are looked at: the honest have a few hundred.
    static let maxParts = 10_000

    var size: PixelSize { PixelSize(width: width, height: height) }
    /// `Int.max` where a header claims more.
    var pixels: Int { .clampedProduct(width, height) }

    var info: ImageInfo {
        let seen = size.turned(orientation)
        return ImageInfo(
            format: format, width: seen.width, height: seen.height, hasAlpha: hasAlpha,
            isProgressive: isProgressive)
    }

    /// The header, of what is within the limits. Of an SVG nothing is read.
    ///
    /// - Parameter levels: what is wanted of it.
    static func admitted(
        _ original: [UInt8], _ format: ImageFormat, _ levels: [Level], _ limits: Limits
    ) throws(ImagingError) -> Header {
        if format == .svg {
            var header = undrawn(levels)
            header.copied = SVGDocument.likelySize(original)
            return header
        }
        let header = try read(original, format)
        try limits.check(header)
        return header
    }

    /// In place of the header of an SVG, whose size is read where it is drawn, behind the limits of
    /// a render: as large as the largest level that it is drawn for.
    static func undrawn(_ levels: [Level]) -> Header {
        let sizes = levels.map { PixelSize(width: $0.width, height: $0.height) }
        let size = sizes.max(by: PixelSize.isSmaller) ?? PixelSize(width: 1, height: 1)
        return Header(format: .svg, width: size.width, height: size.height, hasAlpha: true)
    }

    /// Takes time by the size of what is read, which is bounded: a crowd of parts takes a
    /// millisecond or two. Of an SVG nothing is read: parsing XML is a render's work.
    static func read(_ original: [UInt8], _ format: ImageFormat) throws(ImagingError) -> Header {
        let header: Header
        switch format {
        case .jpeg: header = try JPEGHeader.read(original)
        case .png: header = try PNGHeader.read(original)
        case .gif: header = try GIFHeader.read(original)
        case .webp: header = try WebPHeader.read(original)
        case .avif, .heic: header = try HEIFHeader.read(original, format)
        case .tiff: header = try TIFFHeader.read(original)
        case .svg: header = undrawn([])
        case .bmp: header = try BMPHeader.read(original).header
        case .jxl: header = try JXLHeader.read(original)
        case .jp2: header = try JP2Header.read(original)
        case .exr: header = try EXRHeader.read(original).header
        case .hdr: header = try RadianceHeader.read(original).header
        }
        guard header.width > 0, header.height > 0 else {
            throw .broken(reason: "the header says \(header.width)×\(header.height) pixels")
        }
        return header
    }
}
