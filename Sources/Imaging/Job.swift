/// What is rendered: the same in this process and in a child.
enum Job: Sendable {
    case original(Render)
    case pyramid(PyramidRender)
    /// A part of a picture, made from its tiles. The rendition is the part itself.
    case cut(PictureCut, Rendition, Encoding)
    /// A contact sheet, drawn from thumbnails. The rendition is the sheet itself.
    case sheet(ContactSheet, Rendition, Encoding, Decoder)

    /// The header of the original; nil for a cut and a sheet.
    var header: Header? {
        switch self {
        case .original(let render): render.header
        case .pyramid(let render): render.header
        case .cut, .sheet: nil
        }
    }

    /// The bytes of the original; empty for a cut and a sheet.
    var original: [UInt8] {
        switch self {
        case .original(let render): render.original
        case .pyramid(let render): render.original
        case .cut, .sheet: []
        }
    }

    var renditions: [Rendition] {
        switch self {
        case .original(let render): render.renditions
        case .pyramid: [.pyramid]
        case .cut(_, let whole, _), .sheet(_, let whole, _, _): [whole]
        }
    }

    /// One per rendition.
    var encodings: [Encoding] {
        switch self {
        case .original(let render): render.encodings
        case .pyramid(let render): [render.encoding]
        case .cut(_, _, let encoding), .sheet(_, _, let encoding, _): [encoding]
        }
    }

    /// Pixels of what is drawn, or of the original.
    var pixels: Int {
        switch self {
        case .original(let render): render.header.pixels
        case .pyramid(let render): render.header.pixels
        case .cut(let cut, _, _): cut.pixels
        case .sheet(let sheet, _, _, _): sheet.pixels
        }
    }

    /// - Parameter isIsolated: whether a child does it.
    func cost(isIsolated: Bool) -> RenderCost {
        switch self {
        case .original(let render):
            return RenderCost(
                render.header, bytes: render.original.count, renditions: render.renditions,
                levels: render.levels, isIsolated: isIsolated)
        case .pyramid(let render):
            return RenderCost(
                pyramidOf: render.header, bytes: render.original.count, isIsolated: isIsolated)
        case .cut(let cut, _, _): return RenderCost(cut: cut)
        case .sheet(let sheet, _, _, _):
            var cost = RenderCost(drawing: sheet.pixels)
            // Once in shared memory, once in the child.
            let input = sheet.tiles.reduce(0) { .clampedSum($0, $1.thumbnail.count) }
            cost.peak = .clampedSum(cost.peak, .clampedProduct(2, input))
            return cost
        }
    }

    /// Does it in this process, on the calling thread.
    ///
    /// - Returns: nil if the decoder of planes warns of a JPEG. Then ``byLibvips`` says whether it is broken.
    func callAsFunction(
        within deadline: RenderDeadline = .none, _ early: EarlyWork? = nil,
        threads: Int = 1
    ) throws(ImagingError) -> Rendering? {
        switch self {
        case .original(let render):
            return try render(within: deadline, early, threads: threads)
        case .pyramid(let render): return try render(within: deadline)
        case .cut(let cut, let whole, let encoding):
            return try RenderWorkspace.with { (workspace) throws(ImagingError) in
                Rendering(whole, try cut.encoded(as: encoding, in: workspace))
            }
        case .sheet(let sheet, let whole, let encoding, let decoder):
            return Rendering(whole, try encoding.encode(try sheet.drawn(decoder)))
        }
    }

    /// Whether it takes nothing but planes of a baseline JPEG. libjpeg-turbo alone decodes it, in a time
    /// that its size bounds.
    var isPlainJPEG: Bool {
        guard case .original(let render) = self else { return false }
        return render.header.planes != nil && !render.header.isProgressive
            && render.lanes.allSatisfy { $0 == .planar }
    }

    /// The same without planes.
    var byLibvips: Job {
        guard case .original(let render) = self else { return self }
        return .original(render.byLibvips)
    }
}

extension Rendering {
    /// A picture that is a rendition as a whole.
    fileprivate init(_ whole: Rendition, _ bytes: [UInt8]) {
        let size = PixelSize(width: whole.level.width, height: whole.level.height)
        self.init(
            [Thumbnail(rendition: whole, width: size.width, height: size.height, bytes: bytes)],
            of: size)
    }
}
