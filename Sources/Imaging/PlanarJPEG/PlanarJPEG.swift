/// A JPEG whose planes can be resampled and encoded without going through red, green and blue.
///
/// Eight bits, gray or YCbCr in a usual sampling, no profile or sRGB. Everything else, and whatever is
/// in doubt, takes the general lane.
struct PlanarJPEG: Equatable {
    /// As stored.
    var size: PixelSize
    var sampling: ChromaSampling

    /// Scans of a progressive picture; encoders write about ten.
    private static let maxScans = 32
    /// Blocks that all scans decode together; a scan costs at least some nanoseconds for each.
    private static let maxBlocks = 100_000_000
    /// Sides below which the decoder's scale would be ambiguous.
    private static let minSide = 16

    /// Returns nil for a picture of the general lane.
    ///
    /// - Parameter levels: all configured levels.
    init?(_ original: [UInt8], _ header: Header, _ levels: [Level]) {
        guard header.format == .jpeg, header.width >= Self.minSide,
            header.height >= Self.minSide, Self.fits(header, levels),
            let segments = JPEGSegments(original),
            let frame = segments.frame, frame.width == header.width,
            frame.height == header.height, let sampling = frame.sampling
        else { return nil }
        if let profile = segments.profile {
            guard sampling != .gray, SRGBProfile.matches(profile) else { return nil }
        }
        if segments.hasBadProfile { return nil }
        if frame.isProgressive {
            let scans = JPEGSegments.scans(original)
            let blocks = Int.clampedProduct(header.pixels, 3) / 64
            guard scans <= Self.maxScans, .clampedProduct(scans, blocks) <= Self.maxBlocks else {
                return nil
            }
        } else if segments.scanComponents != frame.factors.count {
            // Several scans without being progressive: rare, and decoded as a whole.
            return nil
        }
        size = header.size
        self.sampling = sampling
    }

    /// Returns the chains by the factor at which they are decoded, the smallest first.
    func chainsByShrink(
        _ chains: [LevelChains.Chain], of seen: PixelSize
    ) -> [(shrink: Int, chains: [LevelChains.Chain])] {
        Dictionary(grouping: chains) { seen.shrink(to: $0.sizes[0]) }
            .sorted { $0.key < $1.key }.map { (shrink: $0.key, chains: $0.value) }
    }

    /// Bytes of decoded planes up to which a picture takes the lane; the general one has only a few rows
    /// at a time. A picture of 2000×3000 has 9 MB, one of 12
    /// or 48 megapixels from a phone 18 MB.
    private static let maxPlanes = 20 << 20

    /// Returns whether the planes of all chains are small enough. All configured levels count, so that
    /// the lane doesn't depend on those that are wanted.
    static func fits(_ header: Header, _ levels: [Level]) -> Bool {
        let seen = header.size.turned(header.orientation)
        let all = LevelChains(of: seen, configured: levels, wanted: levels)
        return planes(header, all.chains) <= maxPlanes
    }

    /// Returns the bytes of the largest decoded planes.
    static func planes(_ header: Header, _ chains: [LevelChains.Chain]) -> Int {
        let seen = header.size.turned(header.orientation)
        let areas = chains.map { chain in
            let shrink = Double(seen.shrink(to: chain.sizes[0]))
            return Double(header.width) * Double(header.height) / (shrink * shrink)
        }
        return Int(clamped: (areas.max() ?? 0) * header.samples)
    }
}
