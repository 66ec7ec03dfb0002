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

    /// Returns the chains that wanted thumbnails need.
    func chains(of seen: PixelSize, _ wanted: [RenderPart]) -> [LevelChain] {
        LevelChain.chains(of: seen, configured: levels, wanted: wanted.map(\.level))
    }

    /// Equal sizes share pixels, and with equal settings bytes.
    func encodings(
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
