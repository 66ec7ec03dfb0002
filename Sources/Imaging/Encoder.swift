import CVips

/// Pixels → bytes of a file, without any metadata; equal pixels and settings give equal bytes.
struct Encoder: Sendable {
    var jpegQuality: Int
    var webpQuality: Int
    var webpEffort: Int
    /// For formats without alpha.
    var background: RGB

    init(_ configuration: ImagingConfiguration) {
        jpegQuality = configuration.jpegQuality
        webpQuality = configuration.webpQuality
        webpEffort = configuration.webpEffort
        background = configuration.background
    }

    func encode(_ pixels: PixelBuffer, _ format: ThumbnailFormat) throws(ImagingError) -> [UInt8] {
        switch format {
        case .jpeg:
            return try Self.save(pixels.flattened(on: background)) {
                vitrine_vips_save_jpeg($0, Int32(jpegQuality), $1, $2)
            }
        case .webp:
            return try Self.save(pixels) {
                vitrine_vips_save_webp($0, Int32(webpQuality), Int32(webpEffort), $1, $2)
            }
        }
    }

    /// Fingerprint of all that decides the bytes of a format besides the pixels of the original.
    func recipe(for format: ThumbnailFormat) -> String {
        let settings =
            switch format {
            case .jpeg:
                [jpegQuality, Int(background.red), Int(background.green), Int(background.blue)]
            case .webp: [webpQuality, webpEffort]
            }
        return Fingerprint.hex(
            "\(format) \(settings) vips \(Vips.version) pixels \(Vips.resamplerVersion)")
    }

    static func png(_ pixels: PixelBuffer) throws(ImagingError) -> [UInt8] {
        try save(pixels) { vitrine_vips_save_png($0, $1, $2) }
    }

    private static func save(
        _ pixels: PixelBuffer,
        _ operation: (
            VipsPicture.Image, UnsafeMutablePointer<UnsafeMutableRawPointer?>,
            UnsafeMutablePointer<Int>
        ) -> Int32
    ) throws(ImagingError) -> [UInt8] {
        let picture = try VipsPicture(borrowing: pixels)
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        let status = picture.with { operation($0, &bytes, &count) }
        defer { g_free(bytes) }
        guard status == 0, let bytes else {
            throw .misconfigured(reason: "the encoder failed: \(Vips.errorText())")
        }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
