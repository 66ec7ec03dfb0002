/// Original → pixels of the largest wanted size, upright, 8-bit sRGB or grey, alpha straight.
///
/// Rows go from libvips straight into the resampler, so that most pictures are never in memory as
/// a whole.
struct Decoder {
    let limits: Limits

    struct Result {
        var pixels: PixelBuffer
        /// The header with what only decoding shows: a GIF's true size, whether anything at all is
        /// transparent.
        var info: ImageInfo
    }

    /// - Parameters:
    ///   - header: what was read before; nil where libvips has to read it.
    ///   - fit: from the size of the original as seen to the one wanted, which is not larger.
    func decode(
        _ original: [UInt8], _ format: ImageFormat, _ header: Header?,
        fit: (PixelSize) -> PixelSize
    ) throws(ImagingError) -> Result {
        try original.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
            // What libvips said of earlier pictures would be taken for what it says of this one.
            Vips.forgetErrors()
            let shrink = header.map { self.shrink($0, fit) } ?? 1
            let picture = try VipsPicture.open(bytes, format, shrink: shrink)
            return try read(picture, header ?? picture.header(format), shrink, fit)
        }
    }

    /// The header by libvips, for the formats that are not read in this module.
    func inspect(_ original: [UInt8], _ format: ImageFormat) throws(ImagingError) -> Header {
        try original.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
            try VipsPicture.open(bytes, format).header(format)
        }
    }

    private func shrink(_ header: Header, _ fit: (PixelSize) -> PixelSize) -> Int {
        guard header.format == .jpeg else { return 1 }
        let seen = header.size.turned(header.orientation)
        return seen.shrink(to: fit(seen))
    }

    private func read(
        _ picture: VipsPicture, _ header: Header, _ shrink: Int, _ fit: (PixelSize) -> PixelSize
    ) throws(ImagingError) -> Result {
        var header = header
        if shrink == 1 {
            // The decoder's word counts: a GIF's frames may make it smaller than its header says.
            header.width = picture.width
            header.height = picture.height
            try limits.check(width: header.width, height: header.height)
        }
        let size = fit(header.size.turned(header.orientation)).turned(header.orientation)
        // Transforming colours costs more than resampling, and afterwards there are fewer pixels;
        // but not where 16 bit would be cut to 8 before, or the colours aren't red, green and blue.
        let profile = picture.isPlainRGB ? picture.profile : nil
        let plain = picture.isPlainRGB ? picture : try picture.normalised()
        var pixels = try plain.resampled(
            spanX: Double(header.width) / Double(shrink),
            spanY: Double(header.height) / Double(shrink), to: size)
        if let profile { pixels = try pixels.convertedToSRGB(from: profile) }
        pixels = try pixels.oriented(header.orientation).droppingOpaqueAlpha()
        header.hasAlpha = pixels.bands == 4
        return Result(pixels: pixels, info: header.info)
    }
}
