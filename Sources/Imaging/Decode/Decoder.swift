/// Decodes an original into pixels of the largest wanted size: upright, 8-bit sRGB or gray, straight
/// alpha.
///
/// Rows go straight from libvips into the resampler, so that most pictures are never in memory as a
/// whole.
struct Decoder {
    let limits: Limits

    struct Result {
        var pixels: PixelBuffer
        /// The header's facts, corrected by decoding: a GIF's true size, whether any pixel is
        /// transparent.
        var info: ImageInfo
    }

    /// - Parameters:
    ///   - header: from ``HeaderReader/read(_:_:)``; for an SVG only its format counts.
    ///   - file: the descriptor of memory that holds the original and nothing else, for formats that
    ///     are read from a file.
    ///   - fit: returns the wanted size for the original's size as seen; never larger.
    func decode(
        _ original: [UInt8], _ header: Header, file: Int32? = nil,
        within deadline: RenderDeadline = .none, fit: (PixelSize) -> PixelSize
    ) throws(ImagingError) -> Result {
        // Earlier messages of libvips would be taken for this picture's.
        Vips.forgetErrors()
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
                let shrink = shrink(header, fit)
                let picture = try VipsPicture.open(bytes, header.format, shrink: shrink)
                picture.kill(after: deadline)
                return try read(
                    picture, try checked(header, picture, shrink), shrink, deadline, fit)
            }
        }
    }

    /// Returns the header with the decoder's size: a GIF's frames may make it smaller. A larger one
    /// is refused, since the header's size was admitted and given memory.
    private func checked(
        _ header: Header, _ picture: VipsPicture, _ shrink: Int
    ) throws(ImagingError) -> Header {
        guard shrink == 1 else { return header }
        guard picture.size.area <= header.pixels else {
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

    private func shrink(_ header: Header, _ fit: (PixelSize) -> PixelSize) -> Int {
        guard header.format == .jpeg else { return 1 }
        let seen = header.size.turned(header.orientation)
        return seen.shrink(to: fit(seen))
    }

    private func decode(
        _ rows: some PixelRows, _ header: Header, _ deadline: RenderDeadline,
        _ fit: (PixelSize) -> PixelSize
    ) throws(ImagingError) -> Result {
        var rows = rows
        let size = fit(header.size.turned(header.orientation)).turned(header.orientation)
        return try finished(try rows.resampled(to: size, within: deadline), header)
    }

    /// Decodes a picture of linear light. The size must be that of the header.
    private func decodeLinear(
        _ picture: VipsPicture, _ header: Header, isXYZ: Bool = false, _ deadline: RenderDeadline,
        _ fit: (PixelSize) -> PixelSize
    ) throws(ImagingError) -> Result {
        guard picture.size == header.size, picture.isLinear, picture.bands >= 3 else {
            throw .broken(reason: "the \(header.format.name) picture has two sizes")
        }
        picture.kill(after: deadline)
        let size = fit(header.size.turned(header.orientation)).turned(header.orientation)
        let pixels = try picture.resampled(
            spanX: Double(header.width), spanY: Double(header.height), to: size, isXYZ: isXYZ,
            within: deadline)
        return try finished(pixels, header)
    }

    /// Draws at the size of the largest level, so that lines are sharp.
    private func decodeSVG(
        _ original: [UInt8], _ deadline: RenderDeadline, _ fit: (PixelSize) -> PixelSize
    ) throws(ImagingError) -> Result {
        let document = try SVGDocument.checked(original)
        return try document.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
            let whole = try VipsPicture.open(bytes, .svg)
            try refuseGiant(bytes, whole)
            let header = Header(
                format: .svg, width: whole.width, height: whole.height, hasAlpha: true)
            try limits.check(header)
            let size = fit(header.size)
            // librsvg draws at least one pixel, and at least a thousandth of the size.
            let scale = max(
                Double(size.width) / Double(header.width),
                Double(size.height) / Double(header.height),
                1 / Double(min(header.width, header.height)), 0.001)
            let picture = try VipsPicture.open(bytes, .svg, scale: min(1, scale))
            picture.kill(after: deadline)
            let plain = try picture.normalized()
            let pixels = try plain.resampled(
                spanX: Double(plain.width), spanY: Double(plain.height), to: size,
                within: deadline)
            return try finished(pixels, header)
        }
    }

    /// libvips reports a side of more than 10 million pixels as 1. At a thousandth it shows.
    private func refuseGiant(
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
        _ fit: (PixelSize) -> PixelSize
    ) throws(ImagingError) -> Result {
        let size = fit(header.size.turned(header.orientation)).turned(header.orientation)
        // Transforming colors costs more than resampling, so that it comes afterwards, with fewer
        // pixels. But not if 16 bits would be cut to 8 before, or for other colors than red, green
        // and blue.
        let profile = picture.isPlainRGB ? picture.profile : nil
        let plain = picture.isPlainRGB ? picture : try picture.normalized()
        var pixels = try plain.resampled(
            spanX: Double(header.width) / Double(shrink),
            spanY: Double(header.height) / Double(shrink), to: size, within: deadline)
        if let profile { pixels = try pixels.convertedToSRGB(from: profile) }
        return try finished(pixels, header)
    }

    private func finished(
        _ pixels: PixelBuffer, _ header: Header
    ) throws(ImagingError) -> Result {
        var header = header
        let pixels = try pixels.oriented(header.orientation).droppingOpaqueAlpha()
        header.hasAlpha = pixels.bands == 4
        return Result(pixels: pixels, info: header.info)
    }
}
