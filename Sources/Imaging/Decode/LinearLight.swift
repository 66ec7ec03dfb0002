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
        let linear = Double(step) / 65_535
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
