import Memory
import Synchronization
package import Threads

/// Renders all wanted levels of an original from one decode, on a fixed set of threads.
package final class Renderer: Sendable {
    /// Of the look of thumbnails; the rest is that of the first renderer on the threads.
    private let configuration: ImagingConfiguration
    private let limits: Limits
    private let policy: RenderPolicy
    private let threads: RenderThreads
    private let recipes = Mutex([Rendition: String]())
    let children: ChildPool

    /// Starts the render threads. libvips is opened for its version, and started by the first picture
    /// that needs it in this process.
    ///
    /// - Throws: ``ImagingError/misconfigured(reason:)`` if a thread can't be started.
    package init(_ configuration: ImagingConfiguration) throws(ImagingError) {
        self.configuration = configuration
        limits = Limits(configuration)
        // Pictures may be decoded in this process.
        if !configuration.isolation.isOn || configuration.isolation.sparesPlainJPEGs {
            Allocator.clean()
        }
        children = ChildPool(configuration.isolation, limits)
        policy = RenderPolicy(configuration, cores: MachineProcessors.count())
        threads = try RenderThreads(policy, threadEnds: Vips.threadEnds)
    }

    private init(_ other: Renderer, _ configuration: ImagingConfiguration) {
        self.configuration = configuration
        limits = other.limits
        children = other.children
        policy = other.policy
        threads = other.threads
    }

    /// Returns a renderer that makes thumbnails as another configuration says, on the same threads and with
    /// the same limits. Shut down one of both.
    package func restyled(_ configuration: ImagingConfiguration) -> Renderer {
        Renderer(self, configuration)
    }

    /// Opens libvips, so that a failure shows at once.
    ///
    /// - Throws: ``ImagingError/misconfigured(reason:)``
    package func openLibraries() throws(ImagingError) { try Vips.open() }

    /// How contact sheets look and how large they get.
    package var sheets: SheetPolicy { configuration.sheet }

    /// Pixels that an original may have.
    package var maxPixels: Int { limits.maxPixels }

    /// The current load.
    package var load: RenderLoad { threads.load }

    /// Renders every rendition, each level from the next larger configured one. The same original and
    /// settings give the same bytes, whichever renditions are wanted together.
    ///
    /// Waits for a render thread and memory. Canceling removes the render from the queue; a started
    /// one finishes or ends at its deadline. A picture over the limits is refused before it is
    /// queued: an SVG only when it is drawn, and JPEG XL, JPEG 2000 and OpenEXR after a child has read
    /// their headers.
    ///
    /// - Parameters:
    ///   - group: other groups are rendered by other child processes. For ``IsolationGroup/alone``
    ///     this process reads nothing but the format; header and pixels are read in children of their
    ///     own, whatever the isolation.
    ///   - early: renditions that are delivered before the others are made.
    ///   - urgency: of a render that no client waits for; nil if one does.
    /// - Throws: ``ImagingError``:
    ///   - `notAnImage`, `unsupported`, `broken`, `overLimit`: the picture is unusable.
    ///   - `crashed`, `tooSlow`: the picture harmed its renderer; don't try it again.
    ///   - `overloaded`: try again later.
    ///   - `misconfigured`: the installation is at fault.
    ///   - `canceled`, `stopped`: the task was canceled or the renderer is shutting down.
    package func render(
        _ original: [UInt8], _ renditions: [Rendition], for group: IsolationGroup = .local,
        early: EarlyThumbnails? = nil, urgency: Urgency? = nil
    ) async throws(ImagingError) -> Rendering {
        let (renditions, first) = early?.sorted(renditions) ?? (renditions, 0)
        let header = try await header(of: original, made(renditions), for: group, urgency)
        let render = Render(original, header, renditions, configuration, limits)
        var rendering = try await run(
            .original(render), for: group,
            early: first > 0 ? early.map { (first, $0.deliver) } : nil,
            urgency: urgency)
        rendering.isWithoutLibvips = header.givesExactPixels
        return rendering
    }

    /// Waits for a thread and memory, and does a job there.
    ///
    /// - Parameter early: number of the first renditions, which are delivered before the others are made.
    private func run(
        _ job: Job, for group: IsolationGroup,
        early: (count: Int, deliver: @Sendable ([Thumbnail]) -> Void)? = nil,
        urgency: Urgency? = nil
    ) async throws(ImagingError) -> Rendering {
        let cost = cost(of: job, for: group)
        return try await threads.run(cost, bytes: job.original.count, urgency: urgency) {
            [self] (turn) throws(ImagingError) in
            let start = ContinuousClock.now
            let early = early.map { early in
                EarlyWork(count: early.count) { _, thumbnails in early.deliver(thumbnails) }
            }
            var rendering = try made(job, early, turn.threads, cost, for: group, turn.lane)
            rendering.queued = turn.queued
            rendering.worked = start.duration(to: .now)
            rendering.lane = turn.lane
            return rendering
        }
    }

    private func isIsolated(_ job: Job, for group: IsolationGroup) -> Bool {
        job.header != nil && group.isAlone || children.isolates(job)
    }

    private func cost(of job: Job, for group: IsolationGroup) -> RenderCost {
        let isIsolated = isIsolated(job, for: group)
        var cost = job.cost(isIsolated: isIsolated)
        if isIsolated {
            cost.limit =
                job.header.map { children.deadline($0) }
                ?? max(policy.deadline, children.deadline(pixels: job.pixels))
        }
        return cost
    }

    /// Does a job in this process, or in a child if the format or group requires it; blocks.
    private func made(
        _ job: Job, _ early: EarlyWork?, _ threads: Int, _ cost: RenderCost,
        for group: IsolationGroup, _ lane: RenderLane
    ) throws(ImagingError) -> Rendering {
        if isIsolated(job, for: group) {
            return try children.render(job, early, threads, cost, for: group, lane)
        }
        let limit = RenderDeadline(policy.deadline)
        if let made = try job(within: limit, early, threads: threads) { return made }
        let again = job.byLibvips
        // The early ones may have been delivered.
        if isIsolated(again, for: group) {
            let cost = self.cost(of: again, for: group)
            return try children.render(again, nil, threads, cost, for: group, lane)
        }
        guard let made = try again(within: RenderDeadline(policy.deadline)) else {
            throw .misconfigured(reason: "no level was rendered")
        }
        return made
    }

    /// Returns a fingerprint of everything that decides a rendition's bytes besides the original
    /// and the level's box: settings and library versions. Short, stable, safe in a key.
    package func recipe(for rendition: Rendition) -> String {
        if let known = recipes.withLock({ $0[rendition] }) { return known }
        let recipe = configuration.recipe(for: rendition)
        recipes.withLock { recipes in
            if recipes.count < Self.maxRecipes { recipes[rendition] = recipe }
        }
        return recipe
    }

    /// Returns the fingerprint of a thumbnail in whose bytes libvips has no part, see
    /// ``Rendering/isWithoutLibvips``; nil for a format that libvips encodes. Doesn't open libvips, which takes as
    /// long as a few thumbnails, and doesn't look for fonts.
    package func recipeWithoutLibvips(for rendition: Rendition) -> String? {
        guard rendition.format.takesPlanes else { return nil }
        return configuration.recipe(for: rendition, isWithoutLibvips: true)
    }

    /// Far above the levels and formats that anybody configures.
    private static let maxRecipes = 1_024

    /// Returns a fingerprint of everything that decides how an original is read: the libraries, and
    /// the time and memory of a render.
    package var decoderRecipe: String {
        let isolation = children.policy
        return Fingerprint.hex(
            "readers \(HeaderReader.version) vips \(EncoderVersion.libvips) planes"
                + " \(EncoderVersion.resampler) \(policy.deadline)"
                + " \(isolation.memory) \(isolation.deadline) \(isolation.deadlinePerMegapixel)")
    }

    /// Returns a fingerprint of everything that decides whether an original is too much for a pyramid.
    package var pyramidLimits: String {
        Fingerprint.hex(
            "\(decoderRecipe) \(PyramidTable.version) \(limits.maxBytes) \(limits.maxPixels)"
                + " \(limits.maxSide) \(limits.maxFrames) \(limits.memory)")
    }

    /// Returns the placeholder: the configured picture, or a drawn one that fills the level's box, rendered
    /// like any other.
    ///
    /// - Throws: as ``render(_:_:for:)``.
    package func placeholder(_ rendition: Rendition) async throws(ImagingError) -> Thumbnail {
        let style = configuration.placeholder
        let picture = style.picture ?? style.svg(rendition.level)
        guard let made = try await render(picture, [rendition]).thumbnails.first else {
            throw .misconfigured(reason: "no level was rendered")
        }
        return made
    }

    /// Renders the configured placeholder once in a small size. Blocks the calling thread.
    ///
    /// - Throws: as ``render(_:_:for:)``, except `overloaded`, `canceled` and `stopped`.
    package func checkPlaceholder() throws(ImagingError) {
        guard let picture = configuration.placeholder.picture else { return }
        let rendition = Rendition(
            level: Level(name: "check", width: 64, height: 64), format: .jpeg)
        defer { Vips.threadEnds() }
        func make(_ job: Job) throws(ImagingError) -> Rendering {
            let cost = cost(of: job, for: .local)
            try policy.check(cost)
            return try made(job, nil, 1, cost, for: .local, .quick)
        }
        let format = try admitted(picture)
        let header =
            try isReadHere(format, for: .local)
            ? limits.header(of: picture, format, made([rendition]))
            : checked(try make(.header(format, picture)))
        _ = try make(.original(Render(picture, header, [rendition], configuration, limits)))
    }

    /// Draws a contact sheet of encoded thumbnails, in the order of the layout's cells. The layout
    /// should be one that ``sheets`` allows. Drawn in a child process unless the isolation is
    /// `none`, because a child that was taken over may have made the thumbnails.
    ///
    /// - Throws: as ``render(_:_:for:)``.
    package func sheet(
        _ thumbnails: [[UInt8]], _ layout: SheetLayout, _ format: ThumbnailFormat
    ) async throws(ImagingError) -> [UInt8] {
        // Settings of single levels don't apply: a sheet is not a level.
        let whole = Level(name: "", width: layout.width, height: layout.height)
        let rendition = Rendition(level: whole, format: format)
        let part = RenderPart(
            rendition: rendition, encoding: configuration.encoding(for: rendition))
        let sheet = ContactSheet(thumbnails, layout, background: sheets.background)
        let job = Job.sheet(sheet, part, Decoder(limits: limits))
        // Its thumbnails may come from several sources and earlier children.
        return try await run(job, for: .alone).thumbnails.first?.bytes ?? []
    }

    /// Makes the pyramid of an original, upright, sRGB, without alpha. It is the only thumbnail of the
    /// result, with the rendition ``Rendition/pyramid``.
    ///
    /// - Throws: as ``render(_:_:for:early:)``.
    package func pyramid(
        _ original: [UInt8], for group: IsolationGroup = .local
    ) async throws(ImagingError) -> Rendering {
        let header = try await header(of: original, [Decoder.drawnSVG], for: group)
        let whole = RenderPart(
            rendition: .pyramid, encoding: configuration.encoding(for: .pyramid))
        let render = Render(
            original: original, header: header, levels: configuration.levels, parts: [whole],
            decoder: Decoder(limits: limits, levels: configuration.levels))
        return try await run(.pyramid(render), for: group)
    }

    /// Pixels of a part of a picture that fits into the memory of renders.
    package var maxCutPixels: Int { policy.memory / RenderCost.bytesPerCutPixel }

    /// Makes a part of a picture from its tiles. It is made in a child process unless the isolation is
    /// `none`, because a child that was taken over may have made the tiles.
    ///
    /// - Parameter group: the pictures that the child may have rendered before.
    /// - Throws: as ``render(_:_:for:early:)``.
    package func cut(
        _ cut: PictureCut, _ format: ThumbnailFormat, for group: IsolationGroup
    ) async throws(ImagingError) -> [UInt8] {
        let (width, height) = cut.size
        let whole = Rendition(level: Level(name: "", width: width, height: height), format: format)
        let job = Job.cut(cut, RenderPart(rendition: whole, encoding: encoding(ofCuts: format)))
        return try await run(job, for: group).thumbnails.first?.bytes ?? []
    }

    /// Returns a fingerprint of everything that decides the bytes of a cut besides the tiles and the cut.
    package func recipe(ofCuts format: ThumbnailFormat) -> String {
        Fingerprint.hex(
            "\(encoding(ofCuts: format).text) \(EncoderVersion.of(format)) pixels "
                + "\(EncoderVersion.resampler)")
    }

    private func encoding(ofCuts format: ThumbnailFormat) -> Encoding {
        configuration.encoding(for: Rendition(level: Rendition.pyramid.level, format: format))
    }

    /// Bytes that libvips uses for pixels in this process.
    package var trackedMemory: Int { Vips.trackedMemory }

    /// Seconds of processor time that child processes took to render so far, living and ended ones.
    package var childSeconds: Double { children.processorTime / .seconds(1) }

    /// Refuses queued and new renders, finishes running ones, and returns when the threads have
    /// ended. Idempotent.
    package func shutdown() async {
        await threads.shutdown()
        children.close()
    }

    /// Returns the header of a picture within the limits, which a child reads unless this process may.
    private func header(
        of original: [UInt8], _ levels: [Level], for group: IsolationGroup,
        _ urgency: Urgency? = nil
    ) async throws(ImagingError) -> Header {
        let format = try admitted(original)
        if isReadHere(format, for: group) {
            return try limits.header(of: original, format, levels)
        }
        return try checked(
            try await run(.header(format, original), for: group, urgency: urgency))
    }

    /// Returns the format of an original that has not too many bytes.
    private func admitted(_ original: [UInt8]) throws(ImagingError) -> ImageFormat {
        try limits.check(bytes: original.count)
        return try ImageFormat.detected(in: original)
    }

    /// Whether this process may read the header. An SVG has none.
    private func isReadHere(_ format: ImageFormat, for group: IsolationGroup) -> Bool {
        format == .svg || !group.isAlone && !format.isSizedByChild
    }

    /// Returns the header that a child has read, within the limits.
    private func checked(_ rendering: Rendering) throws(ImagingError) -> Header {
        guard let header = rendering.header else {
            throw .misconfigured(reason: "no header was read")
        }
        try limits.check(header)
        return header
    }

    private func made(_ renditions: [Rendition]) -> [Level] {
        LevelChain.made(for: renditions.map(\.level), configured: configuration.levels)
    }
}
