/// What is rendered: the same in this process and in a child.
enum Job: Sendable {
    /// The header of an original that only a child may read. It makes no rendition.
    case header(ImageFormat, [UInt8])
    case original(Render)
    case pyramid(Render)
    /// A part of a picture, made from its tiles. The rendition is the part itself.
    case cut(PictureCut, RenderPart)
    /// A contact sheet, drawn from thumbnails. The rendition is the sheet itself.
    case sheet(ContactSheet, RenderPart, Decoder)

    /// The header of the original, one of a single pixel if it is to be read; nil for a cut and a sheet.
    var header: Header? {
        switch self {
        case .header(let format, _): Header(format: format, width: 1, height: 1)
        case .original(let render), .pyramid(let render): render.header
        case .cut, .sheet: nil
        }
    }

    /// The bytes of the original; empty for a cut and a sheet.
    var original: [UInt8] {
        switch self {
        case .header(_, let original): original
        case .original(let render), .pyramid(let render): render.original
        case .cut, .sheet: []
        }
    }

    /// The thumbnails that it makes.
    var parts: [RenderPart] {
        switch self {
        case .header: []
        case .original(let render), .pyramid(let render): render.parts
        case .cut(_, let whole), .sheet(_, let whole, _): [whole]
        }
    }

    /// Pixels of what is drawn, or of the original.
    var pixels: Int {
        switch self {
        case .header: 1
        case .original(let render), .pyramid(let render): render.header.pixels
        case .cut(let cut, _): cut.pixels
        case .sheet(let sheet, _, _): sheet.pixels
        }
    }

    /// - Parameter isIsolated: whether a child does it.
    func cost(isIsolated: Bool) -> RenderCost {
        switch self {
        case .header(_, let original): return RenderCost(headerOf: original.count)
        case .original(let render):
            return RenderCost(
                render.header, bytes: render.original.count,
                renditions: render.parts.map(\.rendition),
                levels: render.levels, isIsolated: isIsolated)
        case .pyramid(let render):
            return RenderCost(
                pyramidOf: render.header, bytes: render.original.count, isIsolated: isIsolated)
        case .cut(let cut, _): return RenderCost(cut: cut)
        case .sheet(let sheet, _, _):
            var cost = RenderCost(drawing: sheet.pixels)
            // Once in shared memory, once in the child.
            let input = sheet.tiles.reduce(0) { .clampedSum($0, $1.thumbnail.count) }
            cost.peak = .clampedSum(cost.peak, .clampedProduct(2, input))
            return cost
        }
    }

    /// Does it in this process, on the calling thread.
    ///
    /// - Returns: nil if the decoder of planes warns of the picture. Then ``byLibvips`` says whether it is broken.
    func callAsFunction(
        within deadline: RenderDeadline = .none, _ early: EarlyWork? = nil,
        threads: Int = 1
    ) throws(ImagingError) -> Rendering? {
        switch self {
        case .header(let format, let original):
            return Rendering(try HeaderReader.read(original, format))
        case .original(let render):
            return try render(within: deadline, early, threads: threads)
        case .pyramid(let render): return try render.pyramid(within: deadline)
        case .cut(let cut, let whole):
            return try RenderWorkspace.with { (workspace) throws(ImagingError) in
                Rendering(whole, try cut.encoded(as: whole.encoding, in: workspace))
            }
        case .sheet(let sheet, let whole, let decoder):
            return Rendering(whole, try whole.encoding.encode(try sheet.drawn(decoder)))
        }
    }

    /// Whether it takes nothing but planes of a baseline JPEG without a profile. libjpeg-turbo alone decodes
    /// it, in a time that its size bounds.
    var isPlainJPEG: Bool {
        guard case .original(let render) = self else { return false }
        return render.header.planes != nil && !render.header.planesNeedProfile
            && !render.header.isProgressive
            && render.parts.allSatisfy { $0.lane == .planar }
    }

    /// The same without planes.
    var byLibvips: Job {
        guard case .original(let render) = self else { return self }
        return .original(render.byLibvips)
    }
}

extension Rendering {
    /// A picture that is a rendition as a whole.
    fileprivate init(_ whole: RenderPart, _ bytes: [UInt8]) {
        let size = PixelSize(width: whole.level.width, height: whole.level.height)
        let made = Thumbnail(
            rendition: whole.rendition, width: size.width, height: size.height, bytes: bytes)
        self.init([made], of: size)
    }
}
