/// How each rendition is encoded, by the configuration.
struct Encoder: Sendable {
    private let configuration: ImagingConfiguration

    init(_ configuration: ImagingConfiguration) {
        self.configuration = configuration
    }

    func encoding(for rendition: Rendition) -> Encoding {
        func value(_ setting: EncoderSetting) -> Int {
            configuration.value(setting, level: rendition.level.name)
        }
        return switch rendition.format {
        case .jpeg: .jpeg(quality: value(.jpegQuality), background: configuration.background)
        case .webp: .webp(quality: value(.webpQuality), effort: value(.webpEffort))
        case .avif: .avif(quality: value(.avifQuality), effort: value(.avifEffort))
        case .png: .png(compression: value(.pngCompression))
        }
    }

    /// Fingerprint of all that decides the bytes of a rendition besides the pixels of the original
    /// and the level's box.
    func recipe(for rendition: Rendition) -> String {
        Fingerprint.hex(
            "\(encoding(for: rendition).text) \(Vips.encoderVersion(rendition.format))"
                + " vips \(Vips.version) pixels \(Vips.resamplerVersion)")
    }
}
