extension Canvas {
    /// Baseline JPEG, 4:2:0, no metadata. Blocks for as long as encoding takes, like all of these.
    package func encodeJPEG(quality: Int = 85) throws(ImagingError) -> [UInt8] {
        try encode(.jpeg(quality: quality, background: RGB(red: 255, green: 255, blue: 255)))
    }

    package func encodeWebP(quality: Int = 80) throws(ImagingError) -> [UInt8] {
        try encode(.webp(quality: quality, effort: ImagingConfiguration().webpEffort))
    }

    package func encodePNG() throws(ImagingError) -> [UInt8] {
        try encode(.png(compression: ImagingConfiguration().pngCompression))
    }

    private func encode(_ encoding: Encoding) throws(ImagingError) -> [UInt8] {
        try Vips.start()
        return try encoding.encode(buffer)
    }
}
