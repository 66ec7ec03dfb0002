import CVips

extension VipsPicture {
    /// 8-bit RGB with or without alpha: its profile can be applied after resampling as well.
    var isPlainRGB: Bool {
        isBytes && space == VIPS_INTERPRETATION_sRGB && (bands == 3 || bands == 4)
    }

    /// 8-bit sRGB or grey, with or without alpha: 1 to 4 bands.
    func normalised() throws(ImagingError) -> VipsPicture {
        try convertedByProfile().convertedToSRGB().trimmed()
    }

    /// Through the embedded profile. CMYK without one is taken for libvips' own CMYK: the plain
    /// formula would be far off. A profile that is broken or belongs to another colour space is
    /// ignored, as viewers do, rather than losing the picture.
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

    /// By formula, where the colour space is known to be another one. Untagged RGB is sRGB as it is:
    /// sent through libvips' sRGB profile its white would come out as 250, 253, 253.
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

    /// To bytes, and not more bands than colours and alpha.
    private func trimmed() throws(ImagingError) -> VipsPicture {
        let bytes = isBytes ? self : try applying { vitrine_vips_to_bytes($0, $1) }
        let isGrey = bytes.space == VIPS_INTERPRETATION_B_W || bytes.bands < 3
        let most = (isGrey ? 1 : 3) + (bytes.hasAlpha ? 1 : 0)
        guard bytes.bands > most else { return bytes }
        return try bytes.applying { vitrine_vips_bands($0, Int32(most), $1) }
    }
}
