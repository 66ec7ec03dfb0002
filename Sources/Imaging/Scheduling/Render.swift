/// Renders all renditions of one original, on a render thread.
///
/// JPEGs that allow it take the planar lane, see ``PlanarJPEG``; everything else the general one. Both
/// make each level from the next larger one of its chain, see ``LevelChains``.
struct Render: Sendable {
    let original: [UInt8]
    let header: Header
    /// All configured levels.
    let levels: [Level]
    let renditions: [Rendition]
    /// One per rendition.
    let encodings: [Encoding]
    let decoder: Decoder
    /// A descriptor of memory that holds the original alone, for a format that is read from a file.
    var file: Int32?

    /// Decodes and encodes in this process. Leaves `queued` and `worked` at zero.
    func callAsFunction(
        within deadline: RenderDeadline = .none, _ early: EarlyWork? = nil,
        allowance: ThreadAllowance = ThreadAllowance()
    ) throws(ImagingError) -> Rendering {
        let all = Array(zip(renditions, encodings))
        let planar = all.filter { $0.1.takesPlanes && $0.0.level.fitsPlanes }
        var rest = all
        var work = work(within: deadline, early, allowance)
        var info = header.info
        if !planar.isEmpty, let picture = PlanarJPEG(original, header, levels),
            let made = try renderPlanes(of: picture, planar, work)
        {
            work = made
            rest = all.filter { !$0.1.takesPlanes || !$0.0.level.fitsPlanes }
        }
        if !rest.isEmpty || all.isEmpty { info = try renderPixels(rest, &work) }
        return try rendering(work, info)
    }

    /// Renders without libvips; returns nil if the picture or its thumbnails need it.
    func planar(
        _ early: EarlyWork?, allowance: ThreadAllowance
    ) throws(ImagingError) -> Rendering? {
        guard !encodings.isEmpty, !encodings.contains(where: \.needsLibraries),
            renditions.allSatisfy(\.level.fitsPlanes),
            let picture = PlanarJPEG(original, header, levels),
            let work = try renderPlanes(
                of: picture, Array(zip(renditions, encodings)),
                work(within: .none, early, allowance))
        else { return nil }
        return try rendering(work, header.info)
    }

    private func work(
        within deadline: RenderDeadline, _ early: EarlyWork?, _ allowance: ThreadAllowance
    ) -> LevelWork {
        LevelWork(
            deadline: deadline,
            early: early.map {
                LevelWork.Early(
                    wanted: Array(zip(renditions, encodings).prefix($0.count)),
                    deliver: $0.deliver)
            }, allowance: allowance)
    }

    private func rendering(_ work: LevelWork, _ info: ImageInfo) throws(ImagingError) -> Rendering {
        let seen = PixelSize(width: info.width, height: info.height)
        guard let smallest = work.smallest else {
            throw .misconfigured(reason: "no level was rendered")
        }
        return Rendering(
            info: info,
            thumbnails: work.thumbnails(Array(zip(renditions, encodings)), of: seen) ?? [],
            summary: try PictureSummary(smallest, of: seen), queued: .zero, worked: .zero)
    }

    /// Renders in this process, or in a child process if the format or group requires it; blocks.
    ///
    /// - Parameters:
    ///   - limit: processor time in this process; children have limits of their own.
    ///   - group: the pictures that the child may have rendered before.
    ///   - cost: decides a child's memory.
    func run(
        _ children: ChildPool, for group: IsolationGroup, _ cost: RenderCost, _ lane: RenderLane,
        within limit: Duration, _ early: EarlyWork? = nil,
        allowance: ThreadAllowance = ThreadAllowance()
    ) throws(ImagingError) -> Rendering {
        guard group.isAlone || children.isolates(header.format) else {
            return try self(within: RenderDeadline(limit), early, allowance: allowance)
        }
        return try children.render(
            original, header, levels, renditions, encodings, early, allowance, cost, for: group,
            lane)
    }

    /// Renders from planes; returns nil if the picture can't be decoded without a warning. The general
    /// lane decides then whether it is broken.
    private func renderPlanes(
        of picture: PlanarJPEG, _ wanted: LevelWork.Wanted, _ work: LevelWork
    ) throws(ImagingError) -> LevelWork? {
        let deadline = work.deadline
        let seen = header.size.turned(header.orientation)
        let chains = chains(of: seen, wanted)
        return try RenderWorkspace.with { (workspace) throws(ImagingError) in
            var work = work
            for (shrink, chains) in picture.chainsByShrink(chains, of: seen) {
                try deadline.check()
                let decoded = Planes(
                    picture.size.shrunk(by: shrink), picture.sampling, in: workspace)
                guard decoded.decode(original, picture) else { return nil }
                for chain in chains {
                    try deadline.check()
                    let first = try decoded.thumbnail(
                        of: chain.sizes[0], shrunkBy: shrink, picture, header.orientation)
                    try work.render(
                        chain, from: first, encodings(wanted, of: seen), of: seen, in: workspace)
                }
            }
            try work.finish(in: workspace)
            return work
        }
    }

    /// Renders from pixels; returns the header's facts, corrected by decoding.
    private func renderPixels(
        _ wanted: LevelWork.Wanted, _ work: inout LevelWork
    ) throws(ImagingError) -> ImageInfo {
        let decoded = try decoder.decode(
            original, header, file: file, within: work.deadline
        ) { seen in
            chains(of: seen, wanted).map { $0.sizes[0] }
        }
        let seen = PixelSize(width: decoded.info.width, height: decoded.info.height)
        work = try RenderWorkspace.with { [work] (workspace) throws(ImagingError) in
            var work = work
            for (chain, pixels) in zip(chains(of: seen, wanted), decoded.pixels) {
                try work.render(
                    chain, from: pixels, encodings(wanted, of: seen), of: seen, in: workspace)
            }
            try work.finish(in: workspace)
            return work
        }
        return decoded.info
    }

    private func chains(of seen: PixelSize, _ wanted: LevelWork.Wanted) -> [LevelChains.Chain] {
        LevelChains(of: seen, configured: levels, wanted: wanted.map(\.0.level)).chains
    }

    /// Equal sizes share pixels, and with equal settings bytes.
    private func encodings(_ wanted: LevelWork.Wanted, of seen: PixelSize) -> [Framing: Set<
        Encoding
    >] {
        Dictionary(grouping: wanted) { Framing($0.0.level, of: seen) }
            .mapValues { Set($0.map(\.1)) }
    }
}
