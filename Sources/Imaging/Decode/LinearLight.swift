import CVips

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Converts linear light to sRGB (IEC 61966-2-1). Values brighter than white are clipped: a thumbnail
/// shows what a screen shows without exposure controls.
struct LinearLight {
    /// CIE XYZ instead of red, green and blue.
    let isXYZ: Bool
    /// 3, or 4 with premultiplied alpha.
    let bands: Int

    /// One entry per 16-bit step from black to white; exact to a twentieth of an 8-bit level.
    private static let curve: [UInt8] = (0...65_535).map { step in
        encoded(Double(step) / 65_535)
    }

    /// Returns 8 bits of sRGB for light from black, 0, to white, 1.
    static func encoded(_ linear: Double) -> UInt8 {
        let value =
            linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
        return UInt8((value * 255).rounded())
    }

    /// Converts a row of `count` pixels, to straight alpha.
    func toSRGB(
        _ samples: UnsafePointer<Float>, _ count: Int, _ bytes: UnsafeMutablePointer<UInt8>
    ) {
        Self.curve.withUnsafeBufferPointer { curve in
            for at in stride(from: 0, to: count * bands, by: bands) {
                var color = SIMD3(samples[at], samples[at + 1], samples[at + 2])
                if isXYZ { color = Self.fromXYZ(color) }
                if bands == 4 {
                    let alpha = Self.clamped(samples[at + 3] / vitrine_exr_opaque)
                    color = alpha > 0 ? color / alpha : SIMD3()
                    bytes[at + 3] = UInt8((alpha * 255).rounded())
                }
                for band in 0..<3 {
                    bytes[at + band] = curve[Int(Self.clamped(color[band]) * 65_535 + 0.5)]
                }
            }
        }
    }

    /// Within 0…1; 0 for NaN.
    private static func clamped(_ value: Float) -> Float { value > 0 ? min(value, 1) : 0 }

    /// Converts to sRGB's primaries; equal X, Y and Z are white, as in Radiance.
    private static func fromXYZ(_ color: SIMD3<Float>) -> SIMD3<Float> {
        SIMD3(
            2.68966 * color.x - 1.27586 * color.y - 0.41379 * color.z,
            -1.02211 * color.x + 1.97829 * color.y + 0.04382 * color.z,
            0.06122 * color.x - 0.22449 * color.y + 1.16327 * color.z)
    }
}

extension LinearLight {
    /// Candela per square meter: the brightest light of PQ, and white paper in it (ITU-R BT.2408).
    private static let (brightest, white) = (10_000.0, 203.0)

    /// Returns whether samples are encoded by perceptual quantization (PQ, ITU-R BT.2100): whether their
    /// profile, such as libjxl writes for RGB, has curves of PQ and no table that makes a picture for
    /// screens.
    static func isPQ(_ profile: [UInt8]) -> Bool {
        let start = profile.prefix(1_024)
        let name = "_PeQ".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return ByteReader(profile).starts(with: "RGB ", at: 16)
            && start.firstRange(of: name) != nil
            && start.firstRange(of: Array("A2B0".utf8)) == nil
    }

    /// For each 16-bit step of sRGB in which the brightest light is white: 8 bits in which paper is. What
    /// is brighter is clipped, as in other linear light. Profiles of PQ would show nearly everything in a
    /// picture as black.
    static let ofPQ: [UInt8] = (0...65_535).map { step in
        let linear = SRGBProfile.linear(Double(step) / 65_535)
        return encoded(min(1, linear * brightest / white))
    }
}
