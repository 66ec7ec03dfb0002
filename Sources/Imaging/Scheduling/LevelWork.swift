/// Makes and encodes the levels of chains, on a render thread and those that it may use besides.
struct LevelWork {
    let deadline: RenderDeadline
    private let threads: Int
    private let early: EarlyWork?
    /// Those that are delivered before the others are made; empty once they are delivered.
    private var first: [RenderPart]
    private(set) var encoded: [Framing: [Encoding: (bytes: [UInt8], lane: Lane)]] = [:]
    /// The lane that makes what is encoded next.
    var lane = Lane.libvips
    /// Levels that are made and not encoded yet.
    private var waiting: [EncodeBatch.Piece] = []
    /// The smallest pixels that were made, for the summary.
    private(set) var smallest: PixelBuffer?

    /// - Parameters:
    ///   - parts: all that are wanted, the early ones first.
    ///   - threads: how many the render may use, its own among them.
    init(
        deadline: RenderDeadline, _ early: EarlyWork?, of parts: [RenderPart], threads: Int = 1
    ) {
        self.deadline = deadline
        self.early = early
        first = Array(parts.prefix(early?.count ?? 0))
        self.threads = threads
    }

    /// Returns the thumbnails; nil if one isn't made yet.
    func thumbnails(_ wanted: [RenderPart], of seen: PixelSize) -> [Thumbnail]? {
        var thumbnails: [Thumbnail] = []
        for part in wanted {
            let framing = Framing(part.level, of: seen)
            guard let made = encoded[framing]?[part.encoding] else { return nil }
            thumbnails.append(
                Thumbnail(
                    rendition: part.rendition, width: framing.size.width,
                    height: framing.size.height,
                    bytes: made.bytes, lane: made.lane))
        }
        return thumbnails
    }

    /// Makes each size of a chain from the one before. Encodes the early thumbnails among them and
    /// delivers these once all are encoded; the others wait for ``finish(in:)``.
    ///
    /// - Parameters:
    ///   - first: pixels of the chain's first size.
    ///   - seen: the original's size.
    mutating func render<Pixels: LevelPixels>(
        _ chain: LevelChain, from first: Pixels, _ wanted: [Framing: Set<Encoding>],
        of seen: PixelSize, in workspace: RenderWorkspace
    ) throws(ImagingError) {
        var pixels = first
        for size in chain.sizes {
            if size != pixels.size {
                try deadline.check()
                pixels = try pixels.resampled(to: size)
            }
            for (framing, encodings) in wanted where framing.whole == size {
                let encodings = encodings.filter { encoded[framing]?[$0] == nil }
                if encodings.isEmpty { continue }
                let level = try pixels.framed(framing)
                level.prepareForEncoding()
                for encoding in encodings {
                    waiting.append(
                        EncodeBatch.Piece(framing: framing, encoding: encoding) {
                            (workspace) throws(ImagingError) in
                            try level.encoded(as: encoding, in: workspace)
                        })
                }
            }
        }
        try encodeEarly(seen, in: workspace)
        let small = pixels.size.fitting(PictureSummary.box)
        if let smallest, !PixelSize.isSmaller(small, smallest.size) { return }
        if small != pixels.size { pixels = try pixels.resampled(to: small) }
        smallest = try pixels.pixels()
    }

    /// Encodes all levels that wait.
    mutating func finish(in workspace: RenderWorkspace) throws(ImagingError) {
        defer { waiting = [] }
        try encode(waiting, in: workspace)
    }

    private mutating func encodeEarly(
        _ seen: PixelSize, in workspace: RenderWorkspace
    ) throws(ImagingError) {
        guard let early, !first.isEmpty else { return }
        let isEarly = { [first] (piece: EncodeBatch.Piece) in
            first.contains {
                $0.encoding == piece.encoding && Framing($0.level, of: seen) == piece.framing
            }
        }
        let pieces = waiting.filter(isEarly)
        waiting.removeAll(where: isEarly)
        try encode(pieces, in: workspace)
        guard let thumbnails = thumbnails(first, of: seen) else { return }
        first = []
        early.deliver(seen, thumbnails)
    }

    /// The dearest first, so that no thread begins with it while the others have nothing left.
    private mutating func encode(
        _ pieces: [EncodeBatch.Piece], in workspace: RenderWorkspace
    ) throws(ImagingError) {
        let pieces = pieces.sorted { $0.work > $1.work }
        let made = try EncodeBatch(pieces, threads: threads, deadline).run(workspace)
        for (piece, bytes) in zip(pieces, made) {
            encoded[piece.framing, default: [:]][piece.encoding] = (bytes, lane)
        }
    }
}

/// The pixels of one level in either lane: planes, or a picture of libvips.
protocol LevelPixels: AnyObject {
    var size: PixelSize { get }
    func resampled(to size: PixelSize) throws(ImagingError) -> Self
    /// Returns the level's part of the whole picture, or the picture on its ground; the pixels themselves
    /// if that is all of them.
    func framed(_ framing: Framing) throws(ImagingError) -> Self
    /// Makes the pixels ready for ``encoded(as:in:)``, which several threads may call at once then.
    func prepareForEncoding()
    /// Returns the bytes of a file without metadata; equal pixels give equal bytes.
    func encoded(
        as encoding: Encoding, in workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8]
    /// As RGB, or gray, with or without alpha.
    func pixels() throws(ImagingError) -> PixelBuffer
}
