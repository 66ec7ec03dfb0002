/// What libraries read from disk when they are first used, done while that is still allowed.
enum WarmUp {
    /// Decodes a small picture of each kind that libvips has in modules or that needs fonts.
    static func decode() throws(ImagingError) {
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><text y="8">a</text></svg>
            """
        let pixels = try PixelBuffer(width: 8, height: 8, bands: 3)
        for index in 0..<pixels.count { pixels.bytes[index] = UInt8(index) }
        let avif = try Encoding.avif(quality: 50, effort: 0).encode(pixels)
        let limits = Limits(ImagingConfiguration())
        let decoder = Decoder(limits: limits)
        for (original, format) in [(Array(text.utf8), ImageFormat.svg), (avif, .avif)] {
            _ = try decoder.decode(original, try Header.read(original, format)) { $0 }
        }
    }
}
