extension Renderer {
    /// The libraries that decode and encode, with the versions that they report. Starts libvips if it
    /// isn't started.
    package static func libraryVersions() throws(ImagingError) -> [(name: String, version: String)]
    {
        try Vips.start()
        return [
            ("libvips", Vips.version), ("libwebp", Vips.encoderVersion(.webp)),
            ("libheif, libaom", Vips.encoderVersion(.avif)),
            ("libpng, zlib", Vips.encoderVersion(.png)),
        ]
    }
}
