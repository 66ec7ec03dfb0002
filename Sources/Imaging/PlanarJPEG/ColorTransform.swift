import CLCMS
import CPixels

/// Converts 8-bit colors of an embedded ICC profile to sRGB, by little CMS. Used by one thread at a time.
///
/// Relative colorimetric without black point compensation, as libvips' lane converts. Profiles are
/// untrusted input: only a child reads one, or a program that renders files of its user.
final class ColorTransform {
    /// What a profile says the colors of.
    enum Colors {
        case gray, rgb
        /// CMYK.
        case ink

        /// The letters in the profile's header (ICC.1, section 7.2).
        var letters: StaticString {
            switch self {
            case .gray: "GRAY"
            case .rgb: "RGB "
            case .ink: "CMYK"
            }
        }

        fileprivate var signature: cmsColorSpaceSignature {
            switch self {
            case .gray: cmsSigGrayData
            case .rgb: cmsSigRgbData
            case .ink: cmsSigCmykData
            }
        }

        fileprivate var bands: Int {
            switch self {
            case .gray: 1
            case .rgb: 3
            case .ink: 4
            }
        }
    }

    let profile: [UInt8]
    let colors: Colors
    private let input, output: cmsHPROFILE
    /// Nil for a profile of another kind.
    private lazy var matrix = colors == .rgb ? ColorMatrix(from: input, to: output) : nil
    /// By the bands of the pixels; made when they are needed.
    private var transforms: [Int: cmsHTRANSFORM] = [:]

    /// Bytes of the largest profile that is kept for the next picture. Those of printers have 0.5 to 3 MB.
    static let kept = 4 << 20

    /// Returns nil if the profile is broken, is for other colors or can't be used; viewers then ignore it.
    init?(_ profile: [UInt8], _ colors: Colors) {
        let input = profile.withUnsafeBytes {
            cmsOpenProfileFromMem($0.baseAddress, cmsUInt32Number(clamping: $0.count))
        }
        guard let input else { return nil }
        guard let output = cmsCreate_sRGBProfile() else {
            cmsCloseProfile(input)
            return nil
        }
        (self.profile, self.colors) = (profile, colors)
        (self.input, self.output) = (input, output)
        guard cmsGetColorSpace(input) == colors.signature, transform(colors.bands) != nil
        else { return nil }
    }

    deinit {
        for transform in transforms.values { cmsDeleteTransform(transform) }
        cmsCloseProfile(input)
        cmsCloseProfile(output)
    }

    /// Returns the conversion of gray, RGB or CMYK to RGB, or of RGBA to RGBA.
    private func transform(_ bands: Int) -> cmsHTRANSFORM? {
        if let made = transforms[bands] { return made }
        let (from, to) =
            switch (colors, bands) {
            case (.gray, _): (vitrine_lcms_gray(), vitrine_lcms_rgb())
            case (.ink, _): (vitrine_lcms_ink(), vitrine_lcms_rgb())
            case (.rgb, 4): (vitrine_lcms_rgba(), vitrine_lcms_rgba())
            case (.rgb, _): (vitrine_lcms_rgb(), vitrine_lcms_rgb())
            }
        let made = cmsCreateTransform(
            input, from, output, to, cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC),
            cmsUInt32Number(cmsFLAGS_NOCACHE))
        transforms[bands] = made
        return made
    }

    /// Converts red, green and blue in place, and leaves an alpha as it is.
    func convert(_ pixels: PixelBuffer) {
        precondition(colors == .rgb && pixels.bands >= 3)
        if let matrix {
            matrix.convert(pixels)
        } else {
            convertByLittleCMS(pixels)
        }
    }

    func convertByLittleCMS(_ pixels: PixelBuffer) {
        guard let transform = transform(pixels.bands) else { return }
        cmsDoTransform(
            transform, pixels.bytes, pixels.bytes, cmsUInt32Number(pixels.size.area))
    }

    /// Writes the RGB of CMYK, without gaps.
    func convert(
        ink pixels: PixelBuffer, to rgb: UnsafeMutablePointer<UInt8>
    ) throws(ImagingError) {
        precondition(colors == .ink && pixels.bands == 4)
        guard let transform = transform(4) else {
            throw .misconfigured(reason: "a conversion of colors is missing")
        }
        cmsDoTransform(transform, pixels.bytes, rgb, cmsUInt32Number(pixels.size.area))
    }

    /// The gray of sRGB for each gray of the profile.
    private(set) lazy var grays: [UInt8] = {
        precondition(colors == .gray)
        let steps = (0...255).map { UInt8($0) }
        var colors = [UInt8](repeating: 0, count: 3 * steps.count)
        guard let transform = transform(1) else { return steps }
        cmsDoTransform(transform, steps, &colors, cmsUInt32Number(steps.count))
        // All three are equal but for rounding, and the eye sees green best.
        return steps.indices.map { colors[3 * $0 + 1] }
    }()
}

extension ColorTransform {
    /// What colors with an embedded profile need.
    enum Need: Equatable {
        case nothing
        case conversion([UInt8])
        /// More than a conversion.
        case libvips
    }

    /// A profile for other colors is ignored, as viewers do.
    static func need(_ profile: [UInt8]?, _ colors: Colors) -> Need {
        guard let profile, VipsPicture.profile(profile, fits: colors.letters) else {
            return .nothing
        }
        if colors != .rgb { return .conversion(profile) }
        if SRGBProfile.matches(profile) { return .nothing }
        return LinearLight.isPQ(profile) ? .libvips : .conversion(profile)
    }
}

extension RenderWorkspace {
    /// Returns a conversion by a profile, the one of the picture before if it had the same; nil if the
    /// profile can't be used.
    func colors(of profile: [UInt8], _ colors: ColorTransform.Colors) -> ColorTransform? {
        if let last = self.colors, last.colors == colors, last.profile == profile { return last }
        self.colors = ColorTransform(profile, colors)
        return self.colors
    }

    /// Returns the conversion of CMYK by a picture's profile, or by libvips' own if the picture has none that
    /// can be used.
    func inkColors(of profile: [UInt8]?) -> ColorTransform? {
        if let profile, let made = colors(of: profile, .ink) { return made }
        return VipsPicture.inkProfile.flatMap { colors(of: $0, .ink) }
    }
}

extension Planes {
    /// Converts gray in place, before it is resampled: a table costs little, and a profile with few dark grays
    /// would show what rounding has lost.
    func convertGrays(by colors: ColorTransform?) {
        guard let colors, colors.colors == .gray, sampling == .gray else { return }
        let plane = planes[0]
        colors.grays.withUnsafeBufferPointer { grays in
            for row in 0..<size.height {
                let samples = plane.samples + row * plane.stride
                for column in 0..<size.width { samples[column] = grays[Int(samples[column])] }
            }
        }
    }

    /// Returns a thumbnail in sRGB: converted, or as it is if it is gray or without a conversion.
    func inSRGB(_ colors: ColorTransform?) throws(ImagingError) -> Planes {
        guard let colors, colors.colors == .rgb else { return self }
        let pixels = try pixels()
        colors.convert(pixels)
        let builder = try PlaneBuilder(size, bands: pixels.bands, in: workspace)
        builder.push(pixels.bytes, pixels.stride, pixels.height)
        return builder.planes
    }
}
