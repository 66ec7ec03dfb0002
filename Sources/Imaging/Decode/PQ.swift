#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Pictures whose samples are encoded by perceptual quantization (PQ, ITU-R BT.2100). Their profiles show the
/// brightest light of PQ as white, so that everything in them is nearly black.
enum PQ {
    /// Candela per square meter: the brightest light of PQ, and white paper in it (ITU-R BT.2408).
    private static let (brightest, white) = (10_000.0, 203.0)

    /// Returns whether a profile, such as libjxl writes for RGB, has curves of PQ and no table that makes
    /// a picture for screens.
    static func isMatrix(_ profile: [UInt8]) -> Bool {
        let start = profile.prefix(1_024)
        let name = "_PeQ".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return ByteReader(profile).starts(with: "RGB ", at: 16)
            && start.firstRange(of: name) != nil
            && start.firstRange(of: Array("A2B0".utf8)) == nil
    }

    /// For each 16-bit step of sRGB in which the brightest light is white: 8 bits in which paper is. What
    /// is brighter is clipped, as ``LinearLight`` does.
    static let bytes: [UInt8] = (0...65_535).map { step in
        let encoded = Double(step) / 65_535
        let linear =
            encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
        let light = min(1, linear * brightest / white)
        let value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8((value * 255).rounded())
    }
}
