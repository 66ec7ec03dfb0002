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
    init?(_ original: [UInt8], _ header: Header) {
        guard header.format == .jpeg, header.width >= Self.minSide,
            header.height >= Self.minSide, let segments = JPEGSegments(original),
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

    /// Returns the factor by which the decoder shrinks on the way to `target`: 1, 2, 4 or 8, for which
    /// libjpeg-turbo has fast transforms.
    ///
    /// The decoder shrinks worse than the resampler, which therefore keeps a factor of 1.5, or of 2 for
    /// small thumbnails.
    static func shrink(_ stored: PixelSize, to target: PixelSize) -> Int {
        let ratio = min(
            Double(stored.width) / Double(target.width),
            Double(stored.height) / Double(target.height))
        let kept = target.area <= smallArea ? 2 : 1.5
        return [8, 4, 2].first { ratio >= kept * Double($0) } ?? 1
    }

    private static let smallArea = 320 * 480
}
