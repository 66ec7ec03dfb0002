import CLCMS
import CPixels

/// Converts 8-bit colors of an embedded ICC profile to sRGB, by little CMS. Used by one thread at a time.
///
/// Relative colorimetric without black point compensation, as libvips' lane converts. Profiles are
/// untrusted input: only a child reads one, or a program that renders files of its user.
final class ColorTransform {
    let profile: [UInt8]
    let isGray: Bool
    private let input, output: cmsHPROFILE
    /// Nil for a profile of another kind.
    private lazy var matrix = isGray ? nil : ColorMatrix(from: input, to: output)
    /// By the bands of the pixels; made when they are needed.
    private var transforms: [Int: cmsHTRANSFORM] = [:]

    /// Returns nil if the profile is broken or can't be used; viewers then ignore it.
    ///
    /// - Parameter isGray: whether it has to be for gray, else for red, green and blue.
    init?(_ profile: [UInt8], isGray: Bool) {
        let input = profile.withUnsafeBytes {
            cmsOpenProfileFromMem($0.baseAddress, cmsUInt32Number(clamping: $0.count))
        }
        guard let input else { return nil }
        guard let output = cmsCreate_sRGBProfile() else {
            cmsCloseProfile(input)
            return nil
        }
        (self.profile, self.isGray) = (profile, isGray)
        (self.input, self.output) = (input, output)
        guard cmsGetColorSpace(input) == (isGray ? cmsSigGrayData : cmsSigRgbData),
            transform(isGray ? 1 : 3) != nil
        else { return nil }
    }

    deinit {
        for transform in transforms.values { cmsDeleteTransform(transform) }
        cmsCloseProfile(input)
        cmsCloseProfile(output)
    }

    /// Returns the conversion of gray, RGB or RGBA to RGB, RGB or RGBA.
    private func transform(_ bands: Int) -> cmsHTRANSFORM? {
        if let made = transforms[bands] { return made }
        let colors = bands == 4 ? vitrine_lcms_rgba() : vitrine_lcms_rgb()
        let made = cmsCreateTransform(
            input, bands == 1 ? vitrine_lcms_gray() : colors, output, colors,
            cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC), cmsUInt32Number(cmsFLAGS_NOCACHE))
        transforms[bands] = made
        return made
    }

    /// Converts red, green and blue in place, and leaves an alpha as it is.
    func convert(_ pixels: PixelBuffer) {
        precondition(!isGray && pixels.bands >= 3)
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

    /// The gray of sRGB for each gray of the profile.
    private(set) lazy var grays: [UInt8] = {
        precondition(isGray)
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
    static func need(_ profile: [UInt8]?, isGray: Bool) -> Need {
        guard let profile, VipsPicture.profile(profile, fits: isGray ? "GRAY" : "RGB ") else {
            return .nothing
        }
        if isGray { return .conversion(profile) }
        if SRGBProfile.matches(profile) { return .nothing }
        return LinearLight.isPQ(profile) ? .libvips : .conversion(profile)
    }
}

extension RenderWorkspace {
    /// Returns a conversion by a profile, the one of the picture before if it had the same; nil if the
    /// profile can't be used.
    func colors(of profile: [UInt8], isGray: Bool) -> ColorTransform? {
        if let colors, colors.isGray == isGray, colors.profile == profile { return colors }
        colors = ColorTransform(profile, isGray: isGray)
        return colors
    }
}

extension Planes {
    /// Converts gray in place, before it is resampled: a table costs little, and a profile with few dark grays
    /// would show what rounding has lost.
    func convertGrays(by colors: ColorTransform?) {
        guard let colors, colors.isGray, sampling == .gray else { return }
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
        guard let colors, !colors.isGray else { return self }
        let pixels = try pixels()
        colors.convert(pixels)
        let builder = try PlaneBuilder(size, bands: pixels.bands, in: workspace)
        builder.push(pixels.bytes, pixels.stride, pixels.height)
        return builder.planes
    }
}
