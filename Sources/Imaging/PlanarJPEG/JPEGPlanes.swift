/// Finds out, from the segments of a JPEG before its first scan, whether its planes can be resampled and
/// encoded without going through red, green and blue (ITU-T T.81, annex B; ICC.1, annex B.4).
///
/// Eight bits, gray or YCbCr in a usual sampling. A profile other than sRGB's is applied to thumbnails.
/// libvips makes thumbnails of everything else, and of whatever is in doubt.
struct JPEGPlanes {
    /// Whether all segments are such as encoders write.
    var isUsual = true
    /// Components of the first scan.
    var scanComponents = 0
    private var parts: [ProfilePart] = []

    /// A part of a profile, which is not copied before all of them are checked.
    private struct ProfilePart {
        var number: Int
        /// How many parts it says there are.
        var count: Int
        var content: ByteReader
    }

    /// A byte has the number of a part, from 1 on (ICC.1, annex B.4).
    private static let maxProfileParts = 255
    /// Scans of a progressive picture; encoders write about ten.
    private static let maxScans = 32
    /// Blocks that all scans decode together; a scan costs at least some nanoseconds for each.
    private static let maxBlocks = 100_000_000
    /// Bytes of a progressive picture whose scans are counted, which takes a nanosecond for each.
    private static let maxCounted = 16 << 20
    /// Sides below which the decoder's scale would be ambiguous.
    private static let minSide = 16

    mutating func addProfilePart(_ segment: ByteReader) {
        var segment = segment
        guard segment.take("ICC_PROFILE\0"), let number = segment.byte(),
            let count = segment.byte()
        else { return }
        if parts.count < Self.maxProfileParts {
            parts.append(ProfilePart(number: number, count: count, content: segment))
        } else {
            isUsual = false
        }
    }

    /// Returns the sampling of the planes, and whether their colors are those of a profile; nil for a picture
    /// that libvips must read.
    ///
    /// - Parameters:
    ///   - marker: of the frame.
    ///   - factors: samples of each component per block of the frame.
    func sampling(
        of original: [UInt8], _ header: Header, _ marker: Int,
        _ factors: [(across: Int, down: Int)]
    ) -> (sampling: ChromaSampling, needsProfile: Bool)? {
        guard isUsual, 0xC0...0xC2 ~= marker, header.width >= Self.minSide,
            header.height >= Self.minSide, let sampling = Self.sampling(factors),
            let needsProfile = needsProfile(sampling)
        else { return nil }
        guard header.isProgressive else {
            // Several scans without being progressive: rare, and decoded as a whole.
            return scanComponents == factors.count ? (sampling, needsProfile) : nil
        }
        guard original.count <= Self.maxCounted else { return nil }
        let scans = Self.scans(original)
        let blocks = Int.clampedProduct(header.pixels, 3) / 64
        return scans <= Self.maxScans && .clampedProduct(scans, blocks) <= Self.maxBlocks
            ? (sampling, needsProfile) : nil
    }

    private static func sampling(_ factors: [(across: Int, down: Int)]) -> ChromaSampling? {
        if factors.count == 1 { return factors[0] == (1, 1) ? .gray : nil }
        guard factors.count == 3, factors[1] == (1, 1), factors[2] == (1, 1) else { return nil }
        return ChromaSampling.allCases.first { $0 != .gray && $0.factors == factors[0] }
    }

    /// Returns whether the colors are those of a profile other than sRGB's; nil if that is in doubt.
    private func needsProfile(_ sampling: ChromaSampling) -> Bool? {
        if parts.isEmpty { return false }
        guard let profile else { return nil }
        if sampling == .gray { return VipsPicture.profile(profile, fits: "GRAY") ? true : nil }
        if SRGBProfile.matches(profile) { return false }
        // What libvips does with these is more than a conversion.
        guard VipsPicture.profile(profile, fits: "RGB "), !LinearLight.isPQ(profile) else {
            return nil
        }
        return true
    }

    /// The profile; nil unless all of its parts are there, each once.
    var profile: [UInt8]? {
        let sorted = parts.sorted { $0.number < $1.number }
        guard !parts.isEmpty, sorted.map(\.number) == Array(1...parts.count),
            parts.allSatisfy({ $0.count == parts.count })
        else { return nil }
        return sorted.flatMap { part in
            var content = part.content
            return content.bytes(content.remaining) ?? []
        }
    }

    /// Returns the number of markers that begin a scan, or look so.
    static func scans(_ original: [UInt8]) -> Int {
        original.withUnsafeBufferPointer { bytes in
            var count = 0
            for index in bytes.indices.dropLast() where bytes[index] == 0xFF {
                if bytes[index + 1] == 0xDA { count += 1 }
            }
            return count
        }
    }
}
