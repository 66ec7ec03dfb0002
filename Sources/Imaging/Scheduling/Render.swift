/// Renders all renditions of one original, on a render thread.
///
/// Each rendition takes one of two lanes, see ``Lane``. Both make each level from the next larger one of its
/// chain, see ``LevelChains``.
struct Render: Sendable {
    let original: [UInt8]
    let header: Header
    /// All configured levels.
    let levels: [Level]
    var parts: [RenderPart]
    let decoder: Decoder
    /// A descriptor of memory that holds the original alone, for a format that is read from a file.
    var file: Int32?

    /// Decodes and encodes in this process. Leaves `queued` and `worked` at zero.
    ///
    /// - Returns: nil if the decoder of planes warns of a JPEG. Then ``byLibvips`` says whether it is broken.
    func callAsFunction(
        within deadline: RenderDeadline = .none, _ early: EarlyWork? = nil,
        threads: Int = 1
    ) throws(ImagingError) -> Rendering? {
        let work = LevelWork(deadline: deadline, early, of: parts, threads: threads)
        var made = Made(work: work, info: header.info)
        var rest = parts
        let planar = parts.filter { $0.lane == .planar }
        if !planar.isEmpty {
            if let planes = try renderPlanes(planar, made.work) {
                made = planes
                rest = parts.filter { $0.lane == .libvips }
            } else if header.planes != nil {
                return nil
            }
        }
        if !rest.isEmpty || parts.isEmpty { made = try renderPictures(rest, made.work) }
        return try rendering(made.work, made.info)
    }

    /// The same render without planes.
    var byLibvips: Render {
        var render = self
        for index in parts.indices { render.parts[index].lane = .libvips }
        return render
    }

    /// What a lane has made.
    private struct Made {
        var work: LevelWork
        /// The header's facts, corrected by decoding.
        var info: ImageInfo
    }

    private func rendering(_ work: LevelWork, _ info: ImageInfo) throws(ImagingError) -> Rendering {
        let seen = PixelSize(width: info.width, height: info.height)
        guard let smallest = work.smallest else {
            throw .misconfigured(reason: "no level was rendered")
        }
        return Rendering(
            info: info,
            thumbnails: work.thumbnails(parts, of: seen) ?? [],
            summary: try PictureSummary(smallest, of: seen), queued: .zero, worked: .zero)
    }

    /// Renders from planes; returns nil if the picture has none, or a JPEG can't be decoded without a
    /// warning.
    private func renderPlanes(
        _ wanted: [RenderPart], _ work: LevelWork
    ) throws(ImagingError) -> Made? {
        try RenderWorkspace.with { (workspace) throws(ImagingError) in
            if let sampling = header.planes {
                try renderJPEG(sampling, wanted, work, in: workspace)
            } else {
                try renderRows(wanted, work, in: workspace)
            }
        }
    }

    private func renderJPEG(
        _ sampling: ChromaSampling, _ wanted: [RenderPart], _ work: LevelWork,
        in workspace: RenderWorkspace
    ) throws(ImagingError) -> Made? {
        var made = Made(work: work, info: header.info)
        made.work.lane = .planar
        let seen = header.size.turned(header.orientation)
        for (shrink, chains) in LevelChains.byShrink(chains(of: seen, wanted), of: seen) {
            try work.deadline.check()
            let decoded = Planes(header.size.shrunk(by: shrink), sampling, in: workspace)
            guard decoded.decode(original, header) else { return nil }
            for chain in chains {
                try work.deadline.check()
                let first = try decoded.thumbnail(
                    of: chain.sizes[0], shrunkBy: shrink, header)
                try made.work.render(
                    chain, from: first, encodings(wanted, of: seen), of: seen, in: workspace)
            }
        }
        try made.work.finish(in: workspace)
        return made
    }

    /// Renders from planes of the rows that libvips decodes.
    private func renderRows(
        _ wanted: [RenderPart], _ work: LevelWork, in workspace: RenderWorkspace
    ) throws(ImagingError) -> Made? {
        var header = header
        let builder = try decoder.decodeRows(
            original, header, file: file, within: work.deadline
        ) { (rows) throws(ImagingError) -> PlaneBuilder? in
            guard rows.isPlain, rows.bands < 4 else { return nil }
            header = rows.header
            return try PlaneBuilder(rows, in: workspace)
        }
        guard let planes = builder?.planes else { return nil }
        var made = Made(work: work, info: header.info)
        made.work.lane = .planar
        let seen = header.size.turned(header.orientation)
        for chain in chains(of: seen, wanted) {
            try work.deadline.check()
            let first = try planes.thumbnail(
                of: chain.sizes[0], spanX: Double(header.width), spanY: Double(header.height),
                header.orientation)
            try made.work.render(
                chain, from: first, encodings(wanted, of: seen), of: seen, in: workspace)
        }
        try made.work.finish(in: workspace)
        return made
    }

    /// Renders by libvips.
    private func renderPictures(
        _ wanted: [RenderPart], _ work: LevelWork
    ) throws(ImagingError) -> Made {
        let decoded = try decoder.decode(
            original, header, file: file, within: work.deadline
        ) { seen in
            chains(of: seen, wanted).map { $0.sizes[0] }
        }
        let seen = PixelSize(width: decoded.info.width, height: decoded.info.height)
        return try RenderWorkspace.with { (workspace) throws(ImagingError) in
            var made = Made(work: work, info: decoded.info)
            made.work.lane = .libvips
            for (chain, picture) in zip(chains(of: seen, wanted), decoded.pictures) {
                try made.work.render(
                    chain, from: picture, encodings(wanted, of: seen), of: seen, in: workspace)
            }
            try made.work.finish(in: workspace)
            return made
        }
    }

    private func chains(of seen: PixelSize, _ wanted: [RenderPart]) -> [LevelChains.Chain] {
        LevelChains(of: seen, configured: levels, wanted: wanted.map(\.level)).chains
    }

    /// Equal sizes share pixels, and with equal settings bytes.
    private func encodings(
        _ wanted: [RenderPart], of seen: PixelSize
    ) -> [Framing: Set<Encoding>] {
        Dictionary(grouping: wanted) { Framing($0.level, of: seen) }
            .mapValues { Set($0.map(\.encoding)) }
    }
}
