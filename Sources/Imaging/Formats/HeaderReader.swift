/// Reads the header of any format.
enum HeaderReader {
    /// The version of what is done to originals before a decoder has them. One that was refused is tried again
    /// with another.
    static let version = 2

    /// Returns a stand-in for the header of an SVG, whose size is read by its decoder: as large as
    /// the largest level.
    static func undrawn(_ levels: [Level]) -> Header {
        let sizes = levels.map { PixelSize(width: $0.width, height: $0.height) }
        let size = sizes.max(by: PixelSize.isSmaller) ?? PixelSize(width: 1, height: 1)
        return Header(format: .svg, width: size.width, height: size.height, hasAlpha: true)
    }

    /// Reads a header, in bounded time: the largest crowd of parts takes a millisecond or two. An
    /// SVG is not read, because parsing XML takes longer.
    static func read(_ original: [UInt8], _ format: ImageFormat) throws(ImagingError) -> Header {
        let header: Header
        switch format {
        case .jpeg: header = try jpeg(original)
        case .png: header = try png(original)
        case .gif: header = try gif(original)
        case .webp: header = try webP(original)
        case .avif, .heic: header = try heif(original, format)
        case .tiff: header = try tiff(original)
        case .svg: header = undrawn([])
        case .bmp: header = try BMPHeader.read(original).header
        case .jxl: header = try jxl(original)
        case .jp2: header = try jp2(original)
        case .exr: header = try exr(original)
        case .hdr: header = try RadianceHeader.read(original).header
        }
        guard header.width > 0, header.height > 0 else {
            throw .broken(reason: "the header says \(header.width)×\(header.height) pixels")
        }
        return header
    }
}
