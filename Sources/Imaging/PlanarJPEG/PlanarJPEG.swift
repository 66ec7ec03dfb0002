/// A JPEG whose planes can be resampled and encoded without going through red, green and blue.
///
/// Eight bits, gray or YCbCr in a usual sampling, no profile or sRGB. Everything else, and whatever is
/// in doubt, takes libvips' lane.
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

    /// Returns nil for a picture of libvips' lane.
    ///
    /// - Parameter levels: all configured levels.
    init?(_ original: [UInt8], _ header: Header, _ levels: [Level]) {
        guard header.format == .jpeg, header.width >= Self.minSide,
            header.height >= Self.minSide, Lane.mayMakePlanes(header, levels),
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
}
