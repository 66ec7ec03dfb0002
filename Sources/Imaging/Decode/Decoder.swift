/// Decodes an original into pixels of wanted sizes: upright, 8-bit sRGB or gray, straight alpha.
///
/// Rows go straight from libvips into the resampler, so that most pictures are never in memory as a
/// whole.
struct Decoder {
    let limits: Limits

    struct Result {
        /// One for each wanted size.
        var pixels: [PixelBuffer]
        /// The header's facts, corrected by decoding: a GIF's true size, whether any pixel is
        /// transparent.
        var info: ImageInfo
    }

    /// - Parameters:
    ///   - header: from ``HeaderReader/read(_:_:)``; for an SVG only its format counts.
    ///   - file: the descriptor of memory that holds the original and nothing else, for formats that
    ///     are read from a file.
    ///   - fit: returns the wanted sizes for the original's size as seen; never larger, none twice.
    func decode(
        _ original: [UInt8], _ header: Header, file: Int32? = nil,
        within deadline: RenderDeadline = .none, fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        // Earlier messages of libvips would be taken for this picture's.
        Vips.forgetErrors()
        do throws(ImagingError) {
            return try decoded(original, header, file, deadline, fit)
        } catch {
            throw DecoderMessage.named(error, original, header.format)
        }
    }

    private func decoded(
        _ original: [UInt8], _ header: Header, _ file: Int32?, _ deadline: RenderDeadline,
        _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        switch header.format {
        case .bmp:
            let header = try BMPHeader.read(original)
            return try decode(try BMPRows(original, header), header.header, deadline, fit)
        case .exr:
            guard let file else {
                throw .misconfigured(reason: "OpenEXR needs a file to read from")
            }
            return try decodeLinear(try VipsPicture.openEXR(file), header, deadline, fit)
        case .hdr:
            let isXYZ = try RadianceHeader.read(original).isXYZ
            return try original.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
                try decodeLinear(
                    try VipsPicture.open(bytes, .hdr), header, isXYZ: isXYZ, deadline, fit)
            }
        case .svg: return try decodeSVG(original, deadline, fit)
        default:
            let without = header.format == .png ? PNGText.removed(from: original) : nil
            let original = without ?? original
            return try original.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
                if header.format == .jpeg {
                    try decodeJPEG(bytes, header, deadline, fit)
                } else {
                    try decode(bytes, header, shrink: 1, deadline, fit)
                }
            }
        }
    }

    /// Decodes once for all sizes to which the decoder shrinks alike.
    private func decodeJPEG(
        _ bytes: UnsafeBufferPointer<UInt8>, _ header: Header, _ deadline: RenderDeadline,
        _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        let seen = header.size.turned(header.orientation)
        let sizes = fit(seen)
        var made: [PixelSize: PixelBuffer] = [:]
        var info = header.info
        for (shrink, group) in Dictionary(grouping: sizes, by: seen.shrink) {
            let result = try decode(bytes, header, shrink: shrink, deadline) { _ in group }
            for (size, pixels) in zip(group, result.pixels) { made[size] = pixels }
            info = result.info
        }
        return Result(pixels: sizes.compactMap { made[$0] }, info: info)
    }

    private func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, _ header: Header, shrink: Int,
        _ deadline: RenderDeadline, _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        let picture = try VipsPicture.open(bytes, header.format, shrink: shrink)
        picture.kill(after: deadline)
        let header = try checked(header, picture, shrink)
        return try read(try picture.within(header.frame), header, shrink, deadline, fit)
    }

    /// Returns the header with the decoder's size: a GIF's frames may make it smaller. A larger one
    /// is refused, since the header's size was admitted and given memory.
    func checked(
        _ header: Header, _ picture: VipsPicture, _ shrink: Int
    ) throws(ImagingError) -> Header {
        guard shrink == 1 else { return header }
        guard picture.size.area <= header.pixels else {
            if header.format == .avif || header.format == .heic {
                throw .unsupported(format: DecoderMessage.unnamed)
            }
            throw .broken(
                reason: "the header says \(header.width)×\(header.height) pixels, the picture"
                    + " \(picture.width)×\(picture.height)")
        }
        var header = header
        header.width = picture.width
        header.height = picture.height
        try limits.check(header)
        return header
    }

    private func decode(
        _ rows: some PixelRows, _ header: Header, _ deadline: RenderDeadline,
        _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        var rows = rows
        return try finished(
            try rows.resampled(to: sizes(header, fit), within: deadline), header)
    }

    /// Returns the wanted sizes as stored.
    private func sizes(_ header: Header, _ fit: (PixelSize) -> [PixelSize]) -> [PixelSize] {
        fit(header.size.turned(header.orientation)).map { $0.turned(header.orientation) }
    }

    /// Decodes a picture of linear light. The size must be that of the header.
    private func decodeLinear(
        _ picture: VipsPicture, _ header: Header, isXYZ: Bool = false, _ deadline: RenderDeadline,
        _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        guard picture.size == header.size, picture.isLinear, picture.bands >= 3 else {
            throw .broken(reason: "the \(header.format.name) picture has two sizes")
        }
        picture.kill(after: deadline)
        let pixels = try picture.resampled(
            spanX: Double(header.width), spanY: Double(header.height), to: sizes(header, fit),
            isXYZ: isXYZ, within: deadline)
        return try finished(pixels, header)
    }

    /// Returns a checked SVG whose embedded pictures are such as librsvg draws.
    func svgDocument(
        _ original: [UInt8], _ deadline: RenderDeadline
    ) throws(ImagingError) -> [UInt8] {
        let document = try SVGDocument.checked(original) { embeddedPNG($0, $1, deadline) }
        try SVGPictures.check(document, limits)
        return document
    }

    /// Returns an embedded picture as PNG; nil if it can't be drawn, as other readers then draw nothing.
    private func embeddedPNG(
        _ picture: [UInt8], _ format: ImageFormat, _ deadline: RenderDeadline
    ) -> [UInt8]? {
        let fit = { (size: PixelSize) in
            let scale = min(1, Self.embeddedSide / Double(max(size.width, size.height)))
            return [
                PixelSize(
                    width: max(1, Int(Double(size.width) * scale)),
                    height: max(1, Int(Double(size.height) * scale)))
            ]
        }
        do throws(ImagingError) {
            let pixels: [PixelBuffer]
            if format == .svg {
                // Its own embedded pictures are not drawn.
                pixels = try draw(try SVGDocument.checked(picture), deadline, fit).pixels
            } else {
                let header = try HeaderReader.read(picture, format)
                try limits.check(header)
                pixels = try decoded(picture, header, nil, deadline, fit).pixels
            }
            guard let first = pixels.first else { return nil }
            return try Encoding.quickPNG(first)
        } catch {
            return nil
        }
    }

    /// Pixels of the longer side of an embedded picture, at most.
    private static let embeddedSide = 2_048.0

    /// Draws at each size, so that lines are sharp.
    private func decodeSVG(
        _ original: [UInt8], _ deadline: RenderDeadline, _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        try draw(try svgDocument(original, deadline), deadline, fit)
    }

    private func draw(
        _ document: [UInt8], _ deadline: RenderDeadline, _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        try document.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
            let whole = try VipsPicture.open(bytes, .svg)
            try refuseGiant(bytes, whole)
            let header = Header(
                format: .svg, width: whole.width, height: whole.height, hasAlpha: true)
            try limits.check(header)
            var pixels: [PixelBuffer] = []
            for size in fit(header.size) {
                pixels.append(try drawn(bytes, header, size, deadline))
            }
            return try finished(pixels, header)
        }
    }

    private func drawn(
        _ document: UnsafeBufferPointer<UInt8>, _ header: Header, _ size: PixelSize,
        _ deadline: RenderDeadline
    ) throws(ImagingError) -> PixelBuffer {
        // librsvg draws at least one pixel, and at least a thousandth of the size.
        let scale = max(
            Double(size.width) / Double(header.width),
            Double(size.height) / Double(header.height),
            1 / Double(min(header.width, header.height)), 0.001)
        let picture = try VipsPicture.open(document, .svg, scale: min(1, scale))
        picture.kill(after: deadline)
        let plain = try picture.normalized()
        return try plain.resampled(
            spanX: Double(plain.width), spanY: Double(plain.height), to: size, within: deadline)
    }

    /// libvips reports a side of more than 10 million pixels as 1. At a thousandth it shows.
    func refuseGiant(
        _ bytes: UnsafeBufferPointer<UInt8>, _ whole: VipsPicture
    ) throws(ImagingError) {
        guard whole.width == 1 || whole.height == 1 else { return }
        let small = try VipsPicture.open(bytes, .svg, scale: 0.001)
        guard small.width <= whole.width, small.height <= whole.height else {
            throw .overLimit(reason: "an SVG with a side of more than 10,000,000 pixels")
        }
    }

    private func read(
        _ picture: VipsPicture, _ header: Header, _ shrink: Int, _ deadline: RenderDeadline,
        _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        // Transforming colors costs more than resampling, so that it comes afterwards, with fewer
        // pixels. But not if 16 bits would be cut to 8 before, or for other colors than red, green
        // and blue.
        let profile = picture.isPlainRGB ? picture.profile : nil
        let plain = picture.isPlainRGB ? picture : try picture.normalized()
        var pixels = try plain.resampled(
            spanX: Double(header.width) / Double(shrink),
            spanY: Double(header.height) / Double(shrink), to: sizes(header, fit),
            within: deadline)
        if let profile {
            for index in pixels.indices {
                pixels[index] = try pixels[index].convertedToSRGB(from: profile)
            }
        }
        return try finished(pixels, header)
    }

    private func finished(
        _ pixels: [PixelBuffer], _ header: Header
    ) throws(ImagingError) -> Result {
        var (header, pixels) = (header, pixels)
        header.hasAlpha = false
        for index in pixels.indices {
            pixels[index] = try pixels[index].oriented(header.orientation).droppingOpaqueAlpha()
            if pixels[index].bands == 4 { header.hasAlpha = true }
        }
        return Result(pixels: pixels, info: header.info)
    }
}
