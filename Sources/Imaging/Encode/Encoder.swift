/// Chooses the encoding of each rendition by the configuration.
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
        case .webp: .webp(quality: value(.webpQuality), effort: configuration.webpEffort)
        case .avif: .avif(quality: value(.avifQuality), effort: value(.avifEffort))
        case .png: .png(compression: configuration.pngCompression)
        }
    }

    /// Returns a fingerprint of everything that decides a rendition's bytes besides the original's
    /// pixels and the level's box.
    func recipe(for rendition: Rendition) -> String {
        Fingerprint.hex(
            "\(encoding(for: rendition).text) \(EncoderVersion.of(rendition.format))"
                + " vips \(EncoderVersion.libvips) pixels \(EncoderVersion.resampler)"
                + " lane \(configuration.lane.rawValue) fonts \(Fonts.fingerprint)"
                + (rendition.isPyramid
                    ? " pyramid \(PyramidTable.version)"
                    : " from \(rendition.level.chainText(configuration.levels))"
                        + rendition.level.fitText))
    }
}

extension Level {
    /// What the fingerprint says of the fit; empty for levels that are not cropped.
    fileprivate var fitText: String {
        switch fit {
        case .contain: ""
        case .cover(let gravity): " cover \(gravity.rawValue)"
        case .ground: " ground"
        }
    }
}
