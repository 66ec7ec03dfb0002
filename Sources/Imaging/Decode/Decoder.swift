import CVips

/// Opens originals by libvips and makes thumbnails' pixels of them: upright, 8-bit sRGB or gray, straight
/// alpha.
struct Decoder {
    let limits: Limits
    /// Pixels of the longer side of an SVG that doesn't say how large it is.
    private let vectorSide: Int
    /// Whether a warning of a decoder is an error.
    private var isStrict = false

    /// - Parameter levels: all configured levels.
    init(limits: Limits, levels: [Level] = []) {
        self.limits = limits
        vectorSide = SVGDocument.Size.longerSide(for: levels)
    }

    struct Result {
        /// One for each wanted size, in memory.
        var pictures: [VipsPicture]
        /// The header's facts, corrected by decoding: a GIF's true size, whether any pixel is
        /// transparent.
        var info: ImageInfo
    }

    /// Bytes of decoded pixels that are kept in memory for several sizes. A larger picture is decoded once
    /// for each, so that most of it is never in memory.
    private static let kept = 20 << 20

    /// Returns the bytes of decoded pixels that are kept.
    static func kept(_ header: Header, _ chains: [LevelChain]) -> Int {
        let seen = header.size.turned(header.orientation)
        let shrinks = chains.map { header.format == .jpeg ? seen.shrink(to: $0.sizes[0]) : 1 }
        let shrink = shrinks.min() ?? 1
        let bands = header.hasAlpha || header.isInk ? 4 : header.samples > 1 ? 3 : 1
        let bytes = Int.clampedProduct(header.pixels / (shrink * shrink), bands)
        return bytes <= kept ? bytes : 0
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
            return try withTail(original, header) { (decoder, original) throws(ImagingError) in
                try decoder.decoded(original, header, file, deadline, fit)
            }
        } catch {
            throw DecoderMessage.named(error, original, header.format)
        }
    }

    /// Reads a picture. If that fails, it is read once more with the last bytes that it lacks.
    func withTail<Value>(
        _ original: [UInt8], _ header: Header,
        _ read: (Decoder, [UInt8]) throws(ImagingError) -> Value
    ) throws(ImagingError) -> Value {
        do throws(ImagingError) {
            return try read(self, original)
        } catch {
            guard case .broken = error,
                let whole = PictureTail.added(to: original, header.format)
            else { throw error }
            Vips.forgetErrors()
            var strict = self
            strict.isStrict = true
            do throws(ImagingError) {
                return try read(strict, whole)
            } catch ImagingError.broken {
                throw error
            }
        }
    }

    private func decoded(
        _ original: [UInt8], _ header: Header, _ file: Int32?, _ deadline: RenderDeadline,
        _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        switch header.format {
        case .bmp, .exr, .hdr:
            var header = header
            var pixels: PixelBuffer?
            try readRows(original, header, file, false, deadline) {
                (rows) throws(ImagingError) -> RowSink? in
                header = rows.header
                let buffer = try PixelBuffer(
                    width: header.width, height: header.height, bands: rows.bands)
                pixels = buffer
                return buffer.filling()
            }
            guard let pixels else { throw .broken(reason: DecoderMessage.damaged) }
            let picture = try VipsPicture(borrowing: pixels)
            return try finished(
                try picture.resized(to: sizes(header, fit), within: deadline), header, nil)
        case .svg: return try decodeSVG(original, deadline, fit)
        default:
            return try withBytes(original, header) { (bytes) throws(ImagingError) in
                if header.format == .jpeg {
                    try decodeJPEG(bytes, header, deadline, fit)
                } else {
                    try decode(bytes, header, shrink: 1, deadline, fit)
                }
            }
        }
    }

    /// Gives an original's bytes to libvips, without text that it would inflate. Refuses a picture of which
    /// the decoder reports that it decoded only a part.
    ///
    /// - Parameter body: reads all pixels that it wants.
    func withBytes<Value>(
        _ original: [UInt8], _ header: Header,
        _ body: (UnsafeBufferPointer<UInt8>) throws(ImagingError) -> Value
    ) throws(ImagingError) -> Value {
        let without = header.format == .png ? HeaderReader.withoutText(original) : nil
        vitrine_hevc_begin()
        let value = try (without ?? original).withUnsafeBufferPointer(body)
        if vitrine_hevc_is_damaged() {
            throw .broken(reason: "its data is damaged, so that a part of it can't be decoded")
        }
        return value
    }

    /// Decodes once for all sizes to which the decoder shrinks alike.
    private func decodeJPEG(
        _ bytes: UnsafeBufferPointer<UInt8>, _ header: Header, _ deadline: RenderDeadline,
        _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        let seen = header.size.turned(header.orientation)
        let sizes = fit(seen)
        var made: [PixelSize: VipsPicture] = [:]
        var last = Result(pictures: [], info: header.info)
        for (shrink, group) in Dictionary(grouping: sizes, by: seen.shrink) {
            last = try decode(bytes, header, shrink: shrink, deadline) { _ in group }
            for (size, picture) in zip(group, last.pictures) { made[size] = picture }
        }
        last.pictures = sizes.compactMap { made[$0] }
        return last
    }

    private func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, _ header: Header, shrink: Int,
        _ deadline: RenderDeadline, _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        let opened = try opened(bytes, header, shrink: shrink, deadline)
        let wanted = sizes(opened.header, fit)
        // Transforming colors costs more than resampling, so that it comes afterwards, with fewer
        // pixels. But not if 16 bits would be cut to 8 before, or for other colors than red, green
        // and blue or those of ink.
        func isReady(_ picture: VipsPicture) -> Bool { picture.isPlainRGB || picture.isPlainInk }
        func ready(_ picture: VipsPicture) throws(ImagingError) -> VipsPicture {
            isReady(picture) ? picture : try picture.normalized()
        }
        let profile = isReady(opened.picture) ? opened.picture.profile : nil
        let first = try ready(opened.picture)
        if Int.clampedProduct(first.size.area, first.byteBands) <= Self.kept {
            let whole = try first.inMemory(within: deadline)
            return try finished(
                try whole.resized(to: wanted, within: deadline), opened.header, profile)
        }
        var pictures: [VipsPicture] = []
        for size in wanted {
            var source = first
            if !pictures.isEmpty {
                let again = try self.opened(bytes, header, shrink: shrink, deadline)
                source = try ready(again.picture)
            }
            pictures.append(try source.resized(to: size, within: deadline))
        }
        return try finished(pictures, opened.header, profile)
    }

    /// Opens a picture that libvips reads from memory, with the whole screen of a GIF.
    func opened(
        _ bytes: UnsafeBufferPointer<UInt8>, _ header: Header, shrink: Int,
        _ deadline: RenderDeadline
    ) throws(ImagingError) -> (picture: VipsPicture, header: Header) {
        let picture = try VipsPicture.open(
            bytes, header.format, shrink: shrink, isStrict: isStrict, page: header.page)
        picture.kill(after: deadline)
        let header = try checked(header, picture, shrink)
        return (try picture.within(header.frame), header)
    }

    /// Returns the header with the decoder's size: a GIF's frames may make it smaller. A larger one
    /// is refused, since the header's size was admitted and given memory.
    private func checked(
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

    /// Returns the wanted sizes as stored.
    private func sizes(_ header: Header, _ fit: (PixelSize) -> [PixelSize]) -> [PixelSize] {
        fit(header.size.turned(header.orientation)).map { $0.turned(header.orientation) }
    }

    /// Returns a checked SVG whose embedded pictures are such as librsvg draws.
    private func svgDocument(
        _ original: [UInt8], _ deadline: RenderDeadline
    ) throws(ImagingError) -> [UInt8] {
        let document = try SVGDocument.checked(original, as: .filling(vectorSide)) {
            embeddedPNG($0, $1, deadline)
        }
        try SVGPictures.check(document, memory: limits.memory)
        return document
    }

    /// Returns an embedded picture as PNG; nil if it can't be drawn, as other readers then draw nothing.
    private func embeddedPNG(
        _ picture: [UInt8], _ format: ImageFormat, _ deadline: RenderDeadline
    ) -> [UInt8]? {
        let fit = { (size: PixelSize) in
            let scale = min(1, Double(Self.embeddedSide) / Double(max(size.width, size.height)))
            return [
                PixelSize(
                    width: max(1, Int(Double(size.width) * scale)),
                    height: max(1, Int(Double(size.height) * scale)))
            ]
        }
        do throws(ImagingError) {
            let pictures: [VipsPicture]
            if format == .svg {
                // Its own embedded pictures are not drawn.
                let document = try SVGDocument.checked(picture, as: .within(Self.embeddedSide))
                pictures = try document.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
                    try draw(bytes, try svgHeader(bytes).header, deadline, fit).pictures
                }
            } else {
                let header = try HeaderReader.read(picture, format)
                try limits.check(header)
                pictures = try decoded(picture, header, nil, deadline, fit).pictures
            }
            return try pictures.first.map(Encoding.quickPNG)
        } catch {
            return nil
        }
    }

    /// Pixels of the longer side of an embedded picture, at most.
    private static let embeddedSide = 2_048

    /// Draws at each size, so that lines are sharp.
    private func decodeSVG(
        _ original: [UInt8], _ deadline: RenderDeadline, _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        try withSVG(original, deadline) { (bytes, _, header) throws(ImagingError) in
            try draw(bytes, header, deadline, fit)
        }
    }

    /// Gives a checked SVG to `body`: its document, the picture at its own size, and its header.
    func withSVG<Value>(
        _ original: [UInt8], _ deadline: RenderDeadline,
        _ body: (UnsafeBufferPointer<UInt8>, VipsPicture, Header) throws(ImagingError) -> Value
    ) throws(ImagingError) -> Value {
        let document = try svgDocument(original, deadline)
        return try document.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
            let (whole, header) = try svgHeader(bytes)
            return try body(bytes, whole, header)
        }
    }

    private func svgHeader(
        _ document: UnsafeBufferPointer<UInt8>
    ) throws(ImagingError) -> (whole: VipsPicture, header: Header) {
        let whole = try VipsPicture.open(document, .svg)
        try refuseGiant(document, whole)
        let header = Header(format: .svg, width: whole.width, height: whole.height, hasAlpha: true)
        try limits.check(header)
        return (whole, header)
    }

    private func draw(
        _ document: UnsafeBufferPointer<UInt8>, _ header: Header, _ deadline: RenderDeadline,
        _ fit: (PixelSize) -> [PixelSize]
    ) throws(ImagingError) -> Result {
        var pictures: [VipsPicture] = []
        for size in fit(header.size) {
            // librsvg draws at least one pixel, and at least a thousandth of the size.
            let scale = max(
                Double(size.width) / Double(header.width),
                Double(size.height) / Double(header.height),
                1 / Double(min(header.width, header.height)), 0.001)
            let picture = try VipsPicture.open(document, .svg, scale: min(1, scale))
            picture.kill(after: deadline)
            pictures.append(try picture.normalized().resized(to: size, within: deadline))
        }
        return try finished(pictures, header, nil)
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

    /// - Parameter profile: of the pictures' colors; nil for sRGB and gray.
    private func finished(
        _ pictures: [VipsPicture], _ header: Header, _ profile: [UInt8]?
    ) throws(ImagingError) -> Result {
        var (header, finished) = (header, [VipsPicture]())
        header.hasAlpha = false
        for picture in pictures {
            let upright = try picture.inSRGB(by: profile).upright(header.orientation)
            if upright.bands == 4 { header.hasAlpha = true }
            finished.append(upright)
        }
        return Result(pictures: finished, info: header.info)
    }
}

extension VipsPicture {
    /// Returns the picture in several sizes.
    fileprivate func resized(
        to sizes: [PixelSize], within deadline: RenderDeadline
    ) throws(ImagingError) -> [VipsPicture] {
        var pictures: [VipsPicture] = []
        for size in sizes { pictures.append(try resized(to: size, within: deadline)) }
        return pictures
    }
}
