/// Makes and encodes the levels of chains, on a render thread.
struct LevelWork {
    /// The thumbnails that are delivered before the others are made.
    struct Early {
        let wanted: Wanted
        let deliver: (_ seen: PixelSize, [Thumbnail]) -> Void
    }

    typealias Wanted = [(Rendition, Encoding)]

    let deadline: RenderDeadline
    /// Nil once they are delivered.
    private var early: Early?
    private(set) var encoded: [PixelSize: [Encoding: [UInt8]]] = [:]
    /// The smallest pixels that were made, for the summary.
    private(set) var smallest: PixelBuffer?

    init(deadline: RenderDeadline, early: Early?) {
        self.deadline = deadline
        self.early = early
    }

    /// Returns the thumbnails; nil if one isn't made yet.
    func thumbnails(_ wanted: Wanted, of seen: PixelSize) -> [Thumbnail]? {
        var thumbnails: [Thumbnail] = []
        for (rendition, encoding) in wanted {
            let size = seen.fitting(rendition.level)
            guard let bytes = encoded[size]?[encoding] else { return nil }
            thumbnails.append(
                Thumbnail(
                    rendition: rendition, width: size.width, height: size.height, bytes: bytes))
        }
        return thumbnails
    }

    private mutating func deliver(_ seen: PixelSize) {
        guard let early, let thumbnails = thumbnails(early.wanted, of: seen) else { return }
        self.early = nil
        early.deliver(seen, thumbnails)
    }

    /// Makes each size of a chain from the one before.
    ///
    /// - Parameters:
    ///   - first: pixels of the chain's first size.
    ///   - seen: the original's size.
    mutating func render<Pixels: LevelPixels>(
        _ chain: LevelChains.Chain, from first: Pixels, _ wanted: [PixelSize: Set<Encoding>],
        of seen: PixelSize
    ) throws(ImagingError) {
        var pixels = first
        for size in chain.sizes {
            if size != pixels.size {
                try deadline.check()
                pixels = try pixels.resampled(to: size)
            }
            for encoding in wanted[size] ?? [] where encoded[size]?[encoding] == nil {
                try deadline.check()
                encoded[size, default: [:]][encoding] = try pixels.encoded(as: encoding)
                deliver(seen)
            }
        }
        let small = pixels.size.fitting(PictureSummary.box)
        if let smallest, !PixelSize.isSmaller(small, smallest.size) { return }
        if small != pixels.size { pixels = try pixels.resampled(to: small) }
        smallest = try pixels.pixels()
    }
}
