extension ImagingConfiguration {
    /// Returns how a rendition is encoded.
    func encoding(for rendition: Rendition) -> Encoding {
        func value(_ setting: EncoderSetting) -> Int {
            self.value(setting, level: rendition.level.name)
        }
        return switch rendition.format {
        case .jpeg: .jpeg(quality: value(.jpegQuality), background: background)
        case .webp: .webp(quality: value(.webpQuality), effort: webpEffort)
        case .avif: .avif(quality: value(.avifQuality), effort: value(.avifEffort))
        case .png: .png(compression: pngCompression)
        }
    }

    /// Returns a fingerprint of everything that decides a rendition's bytes besides the original's
    /// pixels and the level's box.
    func recipe(for rendition: Rendition) -> String {
        Fingerprint.hex(
            "\(encoding(for: rendition).text) \(EncoderVersion.of(rendition.format))"
                + " vips \(EncoderVersion.libvips) pixels \(EncoderVersion.resampler)"
                + " colors \(EncoderVersion.colors)"
                + " lane \(lane.rawValue) fonts \(Fonts.fingerprint)"
                + (rendition.isPyramid
                    ? " pyramid \(PyramidTable.version)"
                    : " from \(rendition.level.chainText(levels))"
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
