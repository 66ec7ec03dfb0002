#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Linear light to sRGB's curve (IEC 61966-2-1), brighter than white cut off: a thumbnail shows what
/// a screen shows of the picture without exposure controls.
enum LinearLight {
    /// One entry for each 16-bit step from black to white; within a twentieth of an 8-bit level.
    private static let curve: [UInt8] = (0...65_535).map { step in
        let linear = Double(step) / 65_535
        let value =
            linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
        return UInt8((value * 255).rounded())
    }

    /// What is no number is black.
    static func sRGB(_ linear: Float) -> UInt8 {
        guard linear > 0 else { return 0 }
        return curve[linear < 1 ? Int(linear * 65_535 + 0.5) : 65_535]
    }
}
