/// Takes the rows of a picture from the top, as they are decoded.
typealias RowSink = (_ rows: UnsafePointer<UInt8>, _ stride: Int, _ count: Int) -> Void

/// What is known of rows before the first one comes.
struct DecodedRows {
    /// The header, corrected by the decoder.
    var header: Header
    /// 1 for gray, 3 for RGB, 4 for RGB with straight alpha.
    var bands: Int
    /// Whether the decoder gave these bytes, which no color management has changed.
    var isPlain: Bool
    /// The profile of the colors, if they are not in sRGB yet.
    var profile: [UInt8]?
}

extension Decoder {
    /// Decodes a whole picture as stored, row by row, as 8-bit gray or sRGB with or without alpha.
    ///
    /// - Parameters:
    ///   - keepsProfile: whether bytes stay as they are, if a profile says what their colors are.
    ///   - begin: returns what takes the rows; nil if nothing does.
    func decodeRows(
        _ original: [UInt8], _ header: Header, file: Int32?, keepsProfile: Bool = false,
        within deadline: RenderDeadline,
        _ begin: (DecodedRows) throws(ImagingError) -> RowSink?
    ) throws(ImagingError) {
        // Earlier messages of libvips would be taken for this picture's.
        Vips.forgetErrors()
        do throws(ImagingError) {
            try withTail(original, header) { (decoder, original) throws(ImagingError) in
                try decoder.readRows(original, header, file, keepsProfile, deadline, begin)
            }
        } catch {
            throw DecoderMessage.named(error, original, header.format)
        }
    }

    /// Decodes a JPEG in CMYK as stored, row by row, its sides divided by a power of two and rounded up.
    ///
    /// - Parameter begin: takes the size and the embedded profile, and returns what takes the rows. It isn't called
    ///   for other colors.
    func decodeInk(
        _ original: [UInt8], _ header: Header, shrunkBy shrink: Int,
        within deadline: RenderDeadline,
        _ begin: (PixelSize, [UInt8]?) throws(ImagingError) -> RowSink?
    ) throws(ImagingError) {
        Vips.forgetErrors()
        do throws(ImagingError) {
            try withTail(original, header) { (decoder, original) throws(ImagingError) in
                try decoder.withBytes(original, header) { (bytes) throws(ImagingError) in
                    let picture = try decoder.opened(bytes, header, shrink: shrink, deadline)
                        .picture
                    guard picture.isPlainInk,
                        let sink = try begin(picture.size, picture.profile)
                    else { return }
                    try picture.readRows(within: deadline, sink)
                }
            }
        } catch {
            throw DecoderMessage.named(error, original, header.format)
        }
    }

    func readRows(
        _ original: [UInt8], _ header: Header, _ file: Int32?, _ keepsProfile: Bool,
        _ deadline: RenderDeadline,
        _ begin: (DecodedRows) throws(ImagingError) -> RowSink?
    ) throws(ImagingError) {
        switch header.format {
        case .bmp:
            let header = try BMPHeader.read(original)
            try read(try BMPRows(original, header), header.header, deadline, begin)
        case .exr:
            guard let file else {
                throw .misconfigured(reason: "OpenEXR needs a file to read from")
            }
            try readLinear(
                try VipsPicture.openEXR(file), header, isXYZ: false, deadline, begin)
        case .hdr:
            let isXYZ = try RadianceHeader.read(original).isXYZ
            try original.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
                try readLinear(
                    try VipsPicture.open(bytes, .hdr), header, isXYZ: isXYZ, deadline, begin)
            }
        case .svg:
            try withSVG(original, deadline) { (_, whole, header) throws(ImagingError) in
                let most = Self.drawnSVG.width * Self.drawnSVG.height
                guard header.pixels <= most else {
                    throw .overLimit(reason: "an SVG of more than \(most / 1_000_000) megapixels")
                }
                whole.kill(after: deadline)
                try read(try whole.normalized(), header, isPlain: false, deadline, begin)
            }
        default:
            try withBytes(original, header) { (bytes) throws(ImagingError) in
                let (opened, header) = try opened(bytes, header, shrink: 1, deadline)
                let profile = keepsProfile ? opened.planesProfile : nil
                let isPlain = opened.isPlain || profile != nil
                try read(
                    isPlain ? opened : try opened.normalized(), header, isPlain: isPlain,
                    profile: profile, deadline, begin)
            }
        }
    }

    /// Pixels of a drawn SVG. It has no more detail than its size as drawn.
    static let drawnSVG = Level(name: "", width: 8_000, height: 4_000)

    private func read(
        _ picture: VipsPicture, _ header: Header, isXYZ: Bool = false, isPlain: Bool,
        profile: [UInt8]? = nil,
        _ deadline: RenderDeadline, _ begin: (DecodedRows) throws(ImagingError) -> RowSink?
    ) throws(ImagingError) {
        let rows = DecodedRows(
            header: header, bands: picture.byteBands, isPlain: isPlain, profile: profile)
        guard let sink = try begin(rows) else { return }
        try picture.readBytes(isXYZ: isXYZ, within: deadline, sink)
    }

    private func read(
        _ bitmap: BMPRows, _ header: Header, _ deadline: RenderDeadline,
        _ begin: (DecodedRows) throws(ImagingError) -> RowSink?
    ) throws(ImagingError) {
        let rows = DecodedRows(header: header, bands: bitmap.bands, isPlain: true)
        guard let sink = try begin(rows) else { return }
        let line = try PixelBuffer(width: bitmap.size.width, height: 1, bands: bitmap.bands)
        for row in 0..<bitmap.size.height {
            if row % 16 == 0 { try deadline.check() }
            bitmap.readRow(row, to: line.bytes)
            sink(line.bytes, line.stride, 1)
        }
    }

    /// Reads a picture of linear light. The size must be that of the header.
    private func readLinear(
        _ picture: VipsPicture, _ header: Header, isXYZ: Bool, _ deadline: RenderDeadline,
        _ begin: (DecodedRows) throws(ImagingError) -> RowSink?
    ) throws(ImagingError) {
        guard picture.size == header.size, picture.isLinear, picture.bands >= 3 else {
            throw .broken(reason: "the \(header.format.name) picture has two sizes")
        }
        picture.kill(after: deadline)
        try read(picture, header, isXYZ: isXYZ, isPlain: false, deadline, begin)
    }
}
