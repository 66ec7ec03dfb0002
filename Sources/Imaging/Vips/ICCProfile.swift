import CVips

/// The header of an ICC profile (ICC.1, section 7.2).
enum ICCProfile {
    /// Whether a profile is for a kind of colours, by its four letters there. libvips would take RGB
    /// through a profile for grey as grey with alpha.
    static func fits(_ profile: [UInt8], _ colours: StaticString) -> Bool {
        ByteReader(profile).starts(with: colours, at: 16)
    }
}

extension VipsPicture {
    /// The letters that a profile for these colours has; nil where any will do.
    var profileColours: StaticString? {
        switch space {
        case VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB, VIPS_INTERPRETATION_RGB16,
            VIPS_INTERPRETATION_scRGB:
            "RGB "
        case VIPS_INTERPRETATION_B_W, VIPS_INTERPRETATION_GREY16: "GRAY"
        case VIPS_INTERPRETATION_CMYK: "CMYK"
        default: nil
        }
    }
}
