/// Reads the header of any format.
enum HeaderReader {
    /// Returns the header of an original within the limits. An SVG is not read.
    ///
    /// - Parameter levels: the wanted levels.
    /// - Throws: ``ImagingError/overLimit(reason:)``, ``ImagingError/broken(reason:)`` or
    ///   ``ImagingError/unsupported(format:)``
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
