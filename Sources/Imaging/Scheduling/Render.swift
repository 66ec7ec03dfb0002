/// Renders all renditions of one original, on a render thread.
///
/// Each rendition takes one of two lanes, see ``Lane``. Both make each level from the next larger one of its
/// chain, see ``LevelChain``.
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
    /// - Returns: nil if the decoder of planes warns of the picture. Then ``byLibvips`` says whether it is broken.
    func callAsFunction(
        within deadline: RenderDeadline = .none, _ early: EarlyWork? = nil,
        threads: Int = 1
    ) throws(ImagingError) -> Rendering? {
        var work = LevelWork(deadline: deadline, early, of: parts, threads: threads)
        var info = header.info
        var rest = parts
        let planar = parts.filter { $0.lane == .planar }
        if !planar.isEmpty {
            if let found = try renderPlanes(planar, &work) {
                info = found
                rest = parts.filter { $0.lane == .libvips }
            } else if header.givesPlanes {
                return nil
            }
        }
        if !rest.isEmpty || parts.isEmpty { info = try renderPictures(rest, &work) }
        let seen = PixelSize(width: info.width, height: info.height)
        guard let smallest = work.smallest else {
            throw .misconfigured(reason: "no level was rendered")
        }
        return Rendering(
            info: info,
            thumbnails: work.thumbnails(parts, of: seen) ?? [],
            summary: try PictureSummary(smallest, of: seen), queued: .zero, worked: .zero)
    }

    /// The same render without planes.
    var byLibvips: Render {
        var render = self
        for index in parts.indices { render.parts[index].lane = .libvips }
        return render
    }

    /// Renders from planes.
    ///
    /// - Returns: the header's facts, corrected by decoding; nil if the picture has no planes, or its decoder
    ///   warns of it.
    private func renderPlanes(
        _ wanted: [RenderPart], _ work: inout LevelWork
    ) throws(ImagingError) -> ImageInfo? {
        work.lane = .planar
        return try RenderWorkspace.with { (workspace) throws(ImagingError) in
            if let sampling = header.planes {
                return try renderJPEG(sampling, wanted, &work, in: workspace)
            }
            if header.format == .webp, header.givesPlanes {
                return try renderWebP(wanted, &work, in: workspace)
            }
            if header.format == .jp2,
                let info = try renderJPEG2000(wanted, &work, in: workspace)
            {
                return info
            }
            return try renderRows(wanted, &work, in: workspace)
        }
    }

    private func renderJPEG(
        _ sampling: ChromaSampling, _ wanted: [RenderPart], _ work: inout LevelWork,
        in workspace: RenderWorkspace
    ) throws(ImagingError) -> ImageInfo? {
        let colors =
            header.planesNeedProfile
            ? HeaderReader.jpegProfile(original).flatMap {
                workspace.colors(of: $0, isGray: sampling == .gray)
            } : nil
        let seen = header.size.turned(header.orientation)
        for (shrink, chains) in LevelChain.byShrink(chains(of: seen, wanted), of: seen) {
            try work.deadline.check()
            let decoded = Planes(header.size.shrunk(by: shrink), sampling, in: workspace)
            guard decoded.decode(original, header) else { return nil }
            decoded.convertGrays(by: colors)
            for chain in chains {
                try work.deadline.check()
                let first = try decoded.thumbnail(
                    of: chain.sizes[0], shrunkBy: shrink, header)
                try work.render(
                    chain, from: try first.inSRGB(colors), encodings(wanted, of: seen), of: seen,
                    in: workspace)
            }
        }
        try work.finish(in: workspace)
        return header.info
    }

    private func renderWebP(
        _ wanted: [RenderPart], _ work: inout LevelWork, in workspace: RenderWorkspace
    ) throws(ImagingError) -> ImageInfo? {
        let colors: ColorTransform?
        switch ColorTransform.need(HeaderReader.webPProfile(original), isGray: false) {
        case .nothing: colors = nil
        case .conversion(let profile): colors = workspace.colors(of: profile, isGray: false)
        case .libvips: return nil
        }
        guard let decoded = Planes.webP(original, header, in: workspace) else { return nil }
        var header = header
        header.hasAlpha = decoded.alpha != nil
        return try render(decoded, header, wanted, &work, in: workspace) {
            (first) throws(ImagingError) in
            try first.inFullRange().inSRGB(colors)
        }
    }

    /// Renders from planes of the resolutions that the levels need.
    ///
    /// - Returns: nil if OpenJPEG doesn't give planes.
    private func renderJPEG2000(
        _ wanted: [RenderPart], _ work: inout LevelWork, in workspace: RenderWorkspace
    ) throws(ImagingError) -> ImageInfo? {
        let seen = header.size.turned(header.orientation)
        guard Lane.mayReduce(header, levels) else { return nil }
        let sizes = Set(wanted.map { Framing($0.level, of: seen).whole })
        let runs = chains(of: seen, wanted).flatMap { $0.runs(of: seen, wanted: sizes) }
        for (shrink, runs) in LevelChain.byShrink(runs, of: seen) {
            try work.deadline.check()
            let decoded = try Planes.jpeg2000(original, header, shrunkBy: shrink, in: workspace)
            guard let (planes, factor, profile) = decoded else { return nil }
            let isGray = planes.sampling == .gray
            let colors: ColorTransform?
            switch ColorTransform.need(profile, isGray: isGray) {
            case .nothing: colors = nil
            case .conversion(let profile): colors = workspace.colors(of: profile, isGray: isGray)
            case .libvips: return nil
            }
            planes.convertGrays(by: colors)
            for run in runs {
                let first = try planes.thumbnail(of: run.sizes[0], shrunkBy: factor, header)
                try work.render(
                    run, from: try first.inSRGB(colors), encodings(wanted, of: seen), of: seen,
                    in: workspace)
            }
        }
        try work.finish(in: workspace)
        return header.info
    }

    /// Renders all chains from the planes of a whole picture.
    ///
    /// - Parameter finished: makes the thumbnail that a chain begins with full-range sRGB.
    private func render(
        _ decoded: Planes, _ header: Header, _ wanted: [RenderPart], _ work: inout LevelWork,
        in workspace: RenderWorkspace, _ finished: (Planes) throws(ImagingError) -> Planes
    ) throws(ImagingError) -> ImageInfo {
        let seen = header.size.turned(header.orientation)
        for chain in chains(of: seen, wanted) {
            try work.deadline.check()
            let first = try decoded.thumbnail(
                of: chain.sizes[0], spanX: Double(header.width), spanY: Double(header.height),
                header.orientation)
            try work.render(
                chain, from: try finished(first), encodings(wanted, of: seen), of: seen,
                in: workspace)
        }
        try work.finish(in: workspace)
        return header.info
    }

    /// Renders from planes of the rows that libvips decodes.
    private func renderRows(
        _ wanted: [RenderPart], _ work: inout LevelWork, in workspace: RenderWorkspace
    ) throws(ImagingError) -> ImageInfo? {
        var header = header
        var builder: PlaneBuilder?
        var colors: ColorTransform?
        try decoder.decodeRows(
            original, header, file: file, keepsProfile: true, within: work.deadline
        ) {
            (rows) throws(ImagingError) -> RowSink? in
            guard rows.isPlain else { return nil }
            header = rows.header
            colors = rows.profile.flatMap {
                workspace.colors(of: $0, isGray: rows.bands == 1)
            }
            let made = try PlaneBuilder(rows.header.size, bands: rows.bands, in: workspace)
            builder = made
            return made.push
        }
        guard let builder else { return nil }
        builder.finish()
        let decoded = builder.planes
        decoded.convertGrays(by: colors)
        header.hasAlpha = decoded.alpha != nil
        return try render(decoded, header, wanted, &work, in: workspace) {
            (first) throws(ImagingError) in
            try first.inSRGB(colors)
        }
    }

    /// Renders by libvips; returns the header's facts, corrected by decoding.
    private func renderPictures(
        _ wanted: [RenderPart], _ work: inout LevelWork
    ) throws(ImagingError) -> ImageInfo {
        work.lane = .libvips
        let decoded = try decoder.decode(
            original, header, file: file, within: work.deadline
        ) { seen in
            chains(of: seen, wanted).map { $0.sizes[0] }
        }
        let seen = PixelSize(width: decoded.info.width, height: decoded.info.height)
        return try RenderWorkspace.with { (workspace) throws(ImagingError) in
            for (chain, picture) in zip(chains(of: seen, wanted), decoded.pictures) {
                try work.render(
                    chain, from: picture, encodings(wanted, of: seen), of: seen, in: workspace)
            }
            try work.finish(in: workspace)
            return decoded.info
        }
    }

    private func chains(of seen: PixelSize, _ wanted: [RenderPart]) -> [LevelChain] {
        LevelChain.chains(of: seen, configured: levels, wanted: wanted.map(\.level))
    }

    /// Equal sizes share pixels, and with equal settings bytes.
    private func encodings(
        _ wanted: [RenderPart], of seen: PixelSize
    ) -> [Framing: Set<Encoding>] {
        Dictionary(grouping: wanted) { Framing($0.level, of: seen) }
            .mapValues { Set($0.map(\.encoding)) }
    }
}

extension Render {
    /// Chooses the encoding and the lane of each rendition. Neither depends on what else is wanted, so
    /// that equal settings give equal bytes.
    init(
        _ original: [UInt8], _ header: Header, _ renditions: [Rendition],
        _ configuration: ImagingConfiguration, _ limits: Limits
    ) {
        let mayMakePlanes =
            configuration.lane == .auto && Lane.mayMakePlanes(header, configuration.levels)
        let parts = renditions.map { rendition in
            let encoding = configuration.encoding(for: rendition)
            let isPlanar =
                mayMakePlanes && rendition.level.fitsPlanes && encoding.format.takesPlanes
            return RenderPart(
                rendition: rendition, encoding: encoding, lane: isPlanar ? .planar : .libvips)
        }
        self.init(
            original: original, header: header, levels: configuration.levels, parts: parts,
            decoder: Decoder(limits: limits, levels: configuration.levels))
    }

    /// Makes the pyramid of the original from one decode, row by row, as the only thumbnail.
    func pyramid(within deadline: RenderDeadline = .none) throws(ImagingError) -> Rendering {
        guard case .jpeg(let quality, let background) = parts.first?.encoding else {
            throw .misconfigured(reason: "tiles are JPEGs")
        }
        return try RenderWorkspace.with { (workspace) throws(ImagingError) in
            var seen = header
            var builder: PyramidBuilder?
            try decoder.decodeRows(original, header, file: file, within: deadline) {
                (rows) throws(ImagingError) -> RowSink? in
                seen = rows.header
                let made = try PyramidBuilder(
                    rows.header.size, rows.header.orientation, bands: rows.bands, quality: quality,
                    background: background, in: workspace)
                builder = made
                return made.push
            }
            guard let builder else { throw .broken(reason: DecoderMessage.damaged) }
            let (bytes, smallest) = try builder.finish()
            let size = seen.size.turned(seen.orientation)
            return Rendering(
                info: seen.info,
                thumbnails: [
                    Thumbnail(
                        rendition: .pyramid, width: size.width, height: size.height, bytes: bytes)
                ],
                summary: try PictureSummary(smallest, of: size), queued: .zero, worked: .zero)
        }
    }
}
