import CVips

extension VipsPicture {
    /// Whether this is 8-bit RGB with or without alpha, whose profile may be applied after
    /// resampling.
    var isPlainRGB: Bool {
        isBytes && space == VIPS_INTERPRETATION_sRGB && (bands == 3 || bands == 4)
    }

    /// Whether this is 8-bit CMYK, which may be converted after resampling.
    var isPlainInk: Bool { isBytes && space == VIPS_INTERPRETATION_CMYK && bands == 4 }

    /// libvips' own profile of CMYK, for pictures without one.
    static let inkProfile: [UInt8]? = {
        var bytes: UnsafeRawPointer?
        var count = 0
        guard let blob = vitrine_vips_ink_profile(&bytes, &count), let bytes else { return nil }
        defer { vitrine_vips_unref_blob(blob) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }()

    /// Whether these are bytes of sRGB, with or without alpha, or of gray.
    var isPlain: Bool {
        isPlainRGB
            ? profile.map(SRGBProfile.matches) ?? true
            : isBytes && space == VIPS_INTERPRETATION_B_W && bands == 1 && profile == nil
    }

    /// The profile by which bytes may be converted after resampling, if they are not in sRGB yet.
    var planesProfile: [UInt8]? {
        guard isBytes, !isPlain, let profile else { return nil }
        if space == VIPS_INTERPRETATION_B_W, bands == 1 { return profile }
        return isPlainRGB && !LinearLight.isPQ(profile) ? profile : nil
    }

    /// Returns 8-bit sRGB or gray, with or without alpha: 1 to 4 bands.
    func normalized() throws(ImagingError) -> VipsPicture {
        // libvips makes 8 bits of the colors only if it applies a profile.
        guard hasAlpha, !isBytes else { return try convertedColors() }
        let alpha = try applying { vitrine_vips_last_band($0, $1) }.alphaBytes()
        let colors = try applying { vitrine_vips_bands($0, Int32(bands - 1), $1) }
        return try colors.convertedColors().applying { colors, joined in
            alpha.with { vitrine_vips_joined(colors, $0, joined) }
        }
    }

    private func convertedColors() throws(ImagingError) -> VipsPicture {
        try encodedIntegers().convertedByProfile().convertedToSRGB().trimmed()
    }

    /// Returns 8 bits of an alpha of 16 bits, or of floats from 0 to 1.
    private func alphaBytes() throws(ImagingError) -> VipsPicture {
        try applying {
            isLinear
                ? vitrine_vips_scaled($0, 255, VIPS_FORMAT_UCHAR, $1)
                : vitrine_vips_upper_bytes($0, $1)
        }
    }

    /// Returns 16 bits of floats with a profile, which are encoded as the profile says, from 0 to 1. libvips
    /// takes all floats for linear light, and little CMS those of libvips for black.
    private func encodedIntegers() throws(ImagingError) -> VipsPicture {
        guard isLinear, profile != nil else { return self }
        let isGray = space == VIPS_INTERPRETATION_B_W || bands < 3
        let integers = try applying { vitrine_vips_scaled($0, 65_535, VIPS_FORMAT_USHORT, $1) }
        return try integers.applying {
            vitrine_vips_as(
                $0, isGray ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16, $1)
        }
    }

    /// Applies the embedded profile. CMYK without one counts as libvips' own CMYK, since the plain
    /// formula is far off. A profile that is broken or for another color space is ignored, as
    /// viewers do.
    private func convertedByProfile() -> VipsPicture {
        let isCMYK = space == VIPS_INTERPRETATION_CMYK
        guard isCMYK || profile != nil else { return self }
        do throws(ImagingError) {
            if bands == 3, let profile, LinearLight.isPQ(profile) { return try convertedFromPQ() }
            return try applying {
                vitrine_vips_to_srgb_by_profile($0, isCMYK ? "cmyk" : nil, $1)
            }
        } catch {
            return self
        }
    }

    private func convertedFromPQ() throws(ImagingError) -> VipsPicture {
        let light = try applying { vitrine_vips_to_deep_srgb($0, $1) }
        return try LinearLight.ofPQ.withUnsafeBufferPointer { (table) throws(ImagingError) in
            try light.applying { vitrine_vips_mapped($0, table.baseAddress, $1) }
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
