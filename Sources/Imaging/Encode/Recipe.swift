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
    ///
    /// - Parameter isWithoutLibvips: whether libvips and fonts have no part in the bytes, so that they needn't be
    ///   looked at.
    func recipe(for rendition: Rendition, isWithoutLibvips: Bool = false) -> String {
        let rest =
            isWithoutLibvips
            ? "" : " vips \(EncoderVersion.libvips) fonts \(Fonts.fingerprint)"
        return Fingerprint.hex(
            "\(encoding(for: rendition).text) \(EncoderVersion.of(rendition.format))"
                + " pixels \(EncoderVersion.resampler) colors \(EncoderVersion.colors)"
                + " lane \(lane.rawValue)" + rest
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
