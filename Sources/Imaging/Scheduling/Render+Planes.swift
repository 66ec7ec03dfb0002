/// The planar lane: each decoder's planes, and what is made of them.
extension Render {
    /// Renders from planes.
    ///
    /// - Returns: the header's facts, corrected by decoding; nil if the picture has no planes, or its decoder
    ///   warns of it.
    func renderPlanes(
        _ wanted: [RenderPart], _ work: inout LevelWork
    ) throws(ImagingError) -> ImageInfo? {
        work.lane = .planar
        return try RenderWorkspace.with { (workspace) throws(ImagingError) in
            if let sampling = header.planes {
                return try renderJPEG(sampling, wanted, &work, in: workspace)
            }
            if header.isInk { return try renderInk(wanted, &work, in: workspace) }
            if header.format == .webp, header.givesPlanes {
                return try renderWebP(wanted, &work, in: workspace)
            }
            if header.format == .jp2,
                let info = try renderJPEG2000(wanted, &work, in: workspace)
            {
                return info
            }
            if header.halvings > 0 { return try renderPages(wanted, &work, in: workspace) }
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
                workspace.colors(of: $0, sampling == .gray ? .gray : .rgb)
            } : nil
        let seen = header.size.turned(header.orientation)
        for (shrink, chains) in LevelChain.byShrink(chains(of: seen, wanted), of: seen) {
            try work.deadline.check()
            let decoded = Planes(header.size.shrunk(by: shrink), sampling, in: workspace)
            guard decoded.decode(original, header) else { return nil }
            try render(chains, from: decoded, shrunkBy: shrink, header, wanted, &work, colors)
        }
        try work.finish(in: workspace)
        return header.info
    }

    /// Renders from CMYK that libvips decodes.
    ///
    /// - Returns: nil if the colors are others, or can't be converted.
    private func renderInk(
        _ wanted: [RenderPart], _ work: inout LevelWork, in workspace: RenderWorkspace
    ) throws(ImagingError) -> ImageInfo? {
        let seen = header.size.turned(header.orientation)
        for (shrink, runs) in runs(wanted) {
            var builder: InkBuilder?
            try decoder.decodeInk(original, header, shrunkBy: shrink, within: work.deadline) {
                (size, profile) throws(ImagingError) -> RowSink? in
                guard header.isSize(size, dividedBy: shrink),
                    let colors = workspace.inkColors(of: profile)
                else { return nil }
                let made = try InkBuilder(
                    size, of: header, shrunkBy: shrink, to: runs.map { $0.sizes[0] }, colors,
                    in: workspace)
                builder = made
                return made.push
            }
            guard let builder else { return nil }
            for (run, first) in zip(runs, try builder.finish()) {
                try work.deadline.check()
                try work.render(
                    run, from: first, encodings(wanted, of: seen), of: seen, in: workspace)
            }
        }
        try work.finish(in: workspace)
        return header.info
    }

    private func renderWebP(
        _ wanted: [RenderPart], _ work: inout LevelWork, in workspace: RenderWorkspace
    ) throws(ImagingError) -> ImageInfo? {
        let colors: ColorTransform?
        switch ColorTransform.need(HeaderReader.webPProfile(original), .rgb) {
        case .nothing: colors = nil
        case .conversion(let profile): colors = workspace.colors(of: profile, .rgb)
        case .libvips: return nil
        }
        guard let decoded = Planes.webP(original, header, in: workspace) else { return nil }
        var header = header
        header.hasAlpha = decoded.alpha != nil
        let seen = header.size.turned(header.orientation)
        try render(
            chains(of: seen, wanted), from: decoded, shrunkBy: 1, header, wanted, &work, colors
        ) { $0.inFullRange() }
        try work.finish(in: workspace)
        return header.info
    }

    /// Renders from planes of the resolutions that the levels need. libvips decodes the whole one, since it needs
    /// less memory for it.
    ///
    /// - Returns: nil if OpenJPEG doesn't give planes.
    private func renderJPEG2000(
        _ wanted: [RenderPart], _ work: inout LevelWork, in workspace: RenderWorkspace
    ) throws(ImagingError) -> ImageInfo? {
        guard Lane.mayReduce(header, levels) else { return nil }
        for (shrink, runs) in runs(wanted) {
            try work.deadline.check()
            if shrink == 1 {
                guard let (planes, _, colors) = try decodedRows(header, &work, in: workspace),
                    planes.size == header.size
                else { return nil }
                try render(runs, from: planes, shrunkBy: 1, header, wanted, &work, colors)
                continue
            }
            let decoded = try Planes.jpeg2000(original, header, shrunkBy: shrink, in: workspace)
            guard let (planes, factor, profile) = decoded else { return nil }
            let kind: ColorTransform.Colors = planes.sampling == .gray ? .gray : .rgb
            let colors: ColorTransform?
            switch ColorTransform.need(profile, kind) {
            case .nothing: colors = nil
            case .conversion(let profile): colors = workspace.colors(of: profile, kind)
            case .libvips: return nil
            }
            try render(runs, from: planes, shrunkBy: factor, header, wanted, &work, colors)
        }
        try work.finish(in: workspace)
        return header.info
    }

    /// Renders from the pages of a TIFF that have the picture in the sizes that the levels need.
    private func renderPages(
        _ wanted: [RenderPart], _ work: inout LevelWork, in workspace: RenderWorkspace
    ) throws(ImagingError) -> ImageInfo? {
        var info = header.info
        info.hasAlpha = false
        for (shrink, runs) in runs(wanted) {
            let factor = min(shrink, 1 << header.halvings)
            guard let page = HeaderReader.tiff(original, dividedBy: factor, of: header),
                let decoded = try decodedRows(page, &work, in: workspace),
                decoded.planes.size == page.size
            else { return nil }
            if decoded.planes.alpha != nil { info.hasAlpha = true }
            try render(
                runs, from: decoded.planes, shrunkBy: factor, header, wanted, &work,
                decoded.colors)
        }
        try work.finish(in: workspace)
        return info
    }

    /// Renders from planes of the rows that libvips decodes.
    private func renderRows(
        _ wanted: [RenderPart], _ work: inout LevelWork, in workspace: RenderWorkspace
    ) throws(ImagingError) -> ImageInfo? {
        guard let (planes, header, colors) = try decodedRows(header, &work, in: workspace) else {
            return nil
        }
        let seen = header.size.turned(header.orientation)
        try render(
            chains(of: seen, wanted), from: planes, shrunkBy: 1, header, wanted, &work, colors)
        try work.finish(in: workspace)
        return header.info
    }

    /// Returns the planes of rows that libvips decodes, the header's facts, corrected by decoding, and the
    /// conversion that colors still need; nil if the rows can't be split.
    private func decodedRows(
        _ header: Header, _ work: inout LevelWork, in workspace: RenderWorkspace
    ) throws(ImagingError) -> (planes: Planes, header: Header, colors: ColorTransform?)? {
        var header = header
        var builder: PlaneBuilder?
        var colors: ColorTransform?
        try decoder.decodeRows(
            original, header, file: file, keepsProfile: true, within: work.deadline
        ) { (rows) throws(ImagingError) -> RowSink? in
            guard rows.isPlain else { return nil }
            header = rows.header
            let made = try PlaneBuilder(rows.header.size, bands: rows.bands, in: workspace)
            builder = made
            colors = rows.profile.flatMap {
                workspace.colors(of: $0, rows.bands == 1 ? .gray : .rgb)
            }
            guard let first = colors, first.colors == .rgb, isNearlyWhole(rows.header) else {
                return made.push
            }
            // Pixels are more exact than planes, and here hardly more.
            colors = nil
            let line = try PixelBuffer(width: rows.header.width, height: 1, bands: rows.bands)
            return { rows, stride, count in
                for row in 0..<count {
                    line.bytes.update(from: rows + row * stride, count: line.stride)
                    first.convert(line)
                    made.push(line.bytes, line.stride, 1)
                }
            }
        }
        guard let builder else { return nil }
        builder.finish()
        header.hasAlpha = builder.planes.alpha != nil
        return (builder.planes, header, colors)
    }

    /// Whether the largest configured level has at least half of the pixels. Those that are wanted don't count,
    /// so that bytes don't depend on them.
    private func isNearlyWhole(_ header: Header) -> Bool {
        let seen = header.size.turned(header.orientation)
        let all = LevelChain.chains(of: seen, configured: levels, wanted: levels)
        return header.pixels / 2 <= all.map { $0.sizes[0].area }.max() ?? 0
    }

    /// Returns chains by the factor at which a picture is decoded for them, for a decoder that is much faster
    /// at a part of the size.
    private func runs(_ wanted: [RenderPart]) -> [(shrink: Int, chains: [LevelChain])] {
        let seen = header.size.turned(header.orientation)
        let sizes = Set(wanted.map { Framing($0.level, of: seen).whole })
        let runs = chains(of: seen, wanted).flatMap { $0.runs(of: seen, wanted: sizes) }
        return LevelChain.byShrink(runs, of: seen)
    }

    /// Renders chains from the planes of a picture that was decoded at a factor.
    ///
    /// - Parameters:
    ///   - header: of the whole picture.
    ///   - widened: makes the full range of the samples of the thumbnail that a chain begins with.
    private func render(
        _ chains: [LevelChain], from decoded: Planes, shrunkBy factor: Int, _ header: Header,
        _ wanted: [RenderPart], _ work: inout LevelWork, _ colors: ColorTransform?,
        _ widened: (Planes) -> Planes = { $0 }
    ) throws(ImagingError) {
        decoded.convertGrays(by: colors)
        let seen = header.size.turned(header.orientation)
        for chain in chains {
            try work.deadline.check()
            let first = try decoded.thumbnail(
                of: chain.sizes[0], shrunkBy: factor, header, isConverted: colors?.colors == .rgb)
            try work.render(
                chain, from: try widened(first).inSRGB(colors), encodings(wanted, of: seen),
                of: seen, in: decoded.workspace)
        }
    }
}
