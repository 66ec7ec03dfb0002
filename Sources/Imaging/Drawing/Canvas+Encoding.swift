extension Canvas {
    /// Baseline JPEG, 4:2:0, no metadata. Blocks for as long as encoding takes, like all of these.
    package func encodeJPEG(quality: Int = 85) throws(ImagingError) -> [UInt8] {
        var settings = ImagingConfiguration()
        settings.jpegQuality = quality
        return try encode(.jpeg, settings)
    }

    package func encodeWebP(quality: Int = 80) throws(ImagingError) -> [UInt8] {
        var settings = ImagingConfiguration()
        settings.webpQuality = quality
        return try encode(.webp, settings)
    }

    package func encodePNG() throws(ImagingError) -> [UInt8] {
        try Vips.start()
        return try Encoder.png(buffer)
    }

    private func encode(
        _ format: ThumbnailFormat, _ settings: ImagingConfiguration
    ) throws(ImagingError) -> [UInt8] {
        try Vips.start()
        return try Encoder(settings).encode(buffer, format)
    }
}
