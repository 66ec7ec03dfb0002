import CVips

extension VipsPicture {
    /// Whether this is 8-bit RGB with or without alpha, whose profile may be applied after
    /// resampling.
    var isPlainRGB: Bool {
        isBytes && space == VIPS_INTERPRETATION_sRGB && (bands == 3 || bands == 4)
    }

    /// Returns 8-bit sRGB or gray, with or without alpha: 1 to 4 bands.
    func normalized() throws(ImagingError) -> VipsPicture {
        try convertedByProfile().convertedToSRGB().trimmed()
    }

    /// Applies the embedded profile. CMYK without one counts as libvips' own CMYK, since the plain
    /// formula is far off. A profile that is broken or for another color space is ignored, as
    /// viewers do.
    private func convertedByProfile() -> VipsPicture {
        let isCMYK = space == VIPS_INTERPRETATION_CMYK
        guard isCMYK || profile != nil else { return self }
        do throws(ImagingError) {
            return try applying {
                vitrine_vips_to_srgb_by_profile($0, isCMYK ? "cmyk" : nil, $1)
            }
        } catch {
            return self
        }
    }

    /// Converts other color spaces by formula. Untagged RGB stays as it is: libvips' sRGB profile
    /// would turn its white into 250, 253, 253.
    private func convertedToSRGB() throws(ImagingError) -> VipsPicture {
        switch space {
        case VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB, VIPS_INTERPRETATION_B_W,
            VIPS_INTERPRETATION_MULTIBAND:
            return self
        case VIPS_INTERPRETATION_GREY16:
            return try applying { vitrine_vips_to_space($0, VIPS_INTERPRETATION_B_W, $1) }
        default:
            return try applying { vitrine_vips_to_space($0, VIPS_INTERPRETATION_sRGB, $1) }
        }
    }

    /// Returns bytes, without bands beyond colors and alpha.
    private func trimmed() throws(ImagingError) -> VipsPicture {
        let bytes = isBytes ? self : try applying { vitrine_vips_to_bytes($0, $1) }
        let isGray = bytes.space == VIPS_INTERPRETATION_B_W || bytes.bands < 3
        let most = (isGray ? 1 : 3) + (bytes.hasAlpha ? 1 : 0)
        guard bytes.bands > most else { return bytes }
        return try bytes.applying { vitrine_vips_bands($0, Int32(most), $1) }
    }
}
