/// Makes and encodes the levels of chains, on a render thread.
struct LevelWork {
    let deadline: RenderDeadline
    private(set) var encoded: [PixelSize: [Encoding: [UInt8]]] = [:]
    /// The smallest pixels that were made, for the summary.
    private(set) var smallest: PixelBuffer?

    init(deadline: RenderDeadline) {
        self.deadline = deadline
    }

    /// Makes each size of a chain from the one before.
    ///
    /// - Parameter first: pixels of the chain's first size.
    mutating func render<Pixels: LevelPixels>(
        _ chain: LevelChains.Chain, from first: Pixels, _ wanted: [PixelSize: Set<Encoding>]
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
            }
        }
        let small = pixels.size.fitting(PictureSummary.box)
        if let smallest, !PixelSize.isSmaller(small, smallest.size) { return }
        if small != pixels.size { pixels = try pixels.resampled(to: small) }
        smallest = try pixels.pixels()
    }
}
