/// Makes the pyramid of an original from one decode, row by row, on a render thread.
struct PyramidRender: Sendable {
    let original: [UInt8]
    let header: Header
    let encoding: Encoding
    let decoder: Decoder
    /// A descriptor of memory that holds the original alone, for a format that is read from a file.
    var file: Int32?

    /// Decodes and encodes in this process. The result has the pyramid as its only thumbnail.
    func callAsFunction(
        within deadline: RenderDeadline = .none
    ) throws(ImagingError) -> Rendering {
        guard case .jpeg(let quality, let background) = encoding else {
            throw .misconfigured(reason: "tiles are JPEGs")
        }
        return try RenderWorkspace.with { (workspace) throws(ImagingError) in
            var seen = header
            let builder = try decoder.decodeRows(original, header, file: file, within: deadline) {
                (header, bands) throws(ImagingError) in
                seen = header
                return try PyramidBuilder(
                    header.size, header.orientation, bands: bands, quality: quality,
                    background: background, in: workspace)
            }
            let (bytes, smallest) = try builder.finish()
            let size = seen.size.turned(seen.orientation)
            return Rendering(
                info: seen.info,
                thumbnails: [
                    Thumbnail(
                        rendition: .pyramid, width: size.width, height: size.height, bytes: bytes)
                ],
                summary: try PictureSummary(smallest, of: size), queued: .zero, worked: .zero)
        }
    }
}

extension Decoder {
    /// Pixels of a drawn SVG. It has no more detail than its size as drawn.
    static let drawnSVG = Level(name: "", width: 8_000, height: 4_000)

    /// Decodes a whole picture as stored, row by row, as 8-bit gray or sRGB with or without alpha.
    ///
    /// - Parameter begin: makes what takes the rows, for the true header and the bands of rows.
    func decodeRows(
        _ original: [UInt8], _ header: Header, file: Int32?, within deadline: RenderDeadline,
        _ begin: (Header, _ bands: Int) throws(ImagingError) -> PyramidBuilder
    ) throws(ImagingError) -> PyramidBuilder {
        Vips.forgetErrors()
        do throws(ImagingError) {
            return try readRows(original, header, file, deadline, begin)
        } catch {
            throw DecoderMessage.named(error, original, header.format)
        }
    }

    private func readRows(
        _ original: [UInt8], _ header: Header, _ file: Int32?, _ deadline: RenderDeadline,
        _ begin: (Header, Int) throws(ImagingError) -> PyramidBuilder
    ) throws(ImagingError) -> PyramidBuilder {
        switch header.format {
        case .bmp:
            let header = try BMPHeader.read(original)
            return try read(try BMPRows(original, header), header.header, deadline, begin)
        case .exr:
            guard let file else {
                throw .misconfigured(reason: "OpenEXR needs a file to read from")
            }
            return try readLinear(try VipsPicture.openEXR(file), header, deadline, begin)
        case .hdr:
            let isXYZ = try RadianceHeader.read(original).isXYZ
            return try original.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
                try readLinear(
                    try VipsPicture.open(bytes, .hdr), header, isXYZ: isXYZ, deadline, begin)
            }
        case .svg:
            let document = try svgDocument(original, deadline)
            return try document.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
                try drawSVG(bytes, deadline, begin)
            }
        default:
            let without = header.format == .png ? PNGText.removed(from: original) : nil
            return try (without ?? original).withUnsafeBufferPointer {
                (bytes) throws(ImagingError) in
                let opened = try VipsPicture.open(bytes, header.format)
                opened.kill(after: deadline)
                let header = try checked(header, opened, 1)
                let picture = try opened.within(header.frame)
                // Transforming all pixels takes longer than decoding them.
                let isPlain =
                    picture.isPlainRGB && (picture.profile.map(SRGBProfile.matches) ?? true)
                return try read(
                    isPlain ? picture : try picture.normalized(), header, deadline, begin)
            }
        }
    }

    private func read(
        _ picture: VipsPicture, _ header: Header, isXYZ: Bool = false, _ deadline: RenderDeadline,
        _ begin: (Header, Int) throws(ImagingError) -> PyramidBuilder
    ) throws(ImagingError) -> PyramidBuilder {
        let builder = try begin(header, picture.byteBands)
        try picture.readBytes(isXYZ: isXYZ, within: deadline, builder.push)
        return builder
    }

    private func read(
        _ rows: some PixelRows, _ header: Header, _ deadline: RenderDeadline,
        _ begin: (Header, Int) throws(ImagingError) -> PyramidBuilder
    ) throws(ImagingError) -> PyramidBuilder {
        var rows = rows
        let builder = try begin(header, rows.bands)
        let line = try PixelBuffer(width: rows.size.width, height: 1, bands: rows.bands)
        for row in 0..<rows.size.height {
            if row % 16 == 0 { try deadline.check() }
            try rows.readRow(row, to: line.bytes)
            builder.push(line.bytes, line.stride, 1)
        }
        return builder
    }

    private func readLinear(
        _ picture: VipsPicture, _ header: Header, isXYZ: Bool = false, _ deadline: RenderDeadline,
        _ begin: (Header, Int) throws(ImagingError) -> PyramidBuilder
    ) throws(ImagingError) -> PyramidBuilder {
        guard picture.size == header.size, picture.isLinear, picture.bands >= 3 else {
            throw .broken(reason: "the \(header.format.name) picture has two sizes")
        }
        picture.kill(after: deadline)
        return try read(picture, header, isXYZ: isXYZ, deadline, begin)
    }

    private func drawSVG(
        _ bytes: UnsafeBufferPointer<UInt8>, _ deadline: RenderDeadline,
        _ begin: (Header, Int) throws(ImagingError) -> PyramidBuilder
    ) throws(ImagingError) -> PyramidBuilder {
        let whole = try VipsPicture.open(bytes, .svg)
        try refuseGiant(bytes, whole)
        let header = Header(format: .svg, width: whole.width, height: whole.height, hasAlpha: true)
        try limits.check(header)
        let most = Self.drawnSVG.width * Self.drawnSVG.height
        guard header.pixels <= most else {
            throw .overLimit(reason: "an SVG of more than \(most / 1_000_000) megapixels")
        }
        whole.kill(after: deadline)
        return try read(try whole.normalized(), header, deadline, begin)
    }
}
