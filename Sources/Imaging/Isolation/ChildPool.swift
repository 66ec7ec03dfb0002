import Synchronization

/// Child processes that render, kept between jobs. A render thread takes one per job, so that never
/// more work than there are threads.
///
/// A child renders pictures of one group only, so that one that was taken over can't change
/// thumbnails of another source.
final class ChildPool: Sendable {
    /// What the pictures of one child have in common.
    private struct Kind: Equatable {
        var group: IsolationGroup
        /// A process can't lower its niceness again, see setpriority(2).
        var lane: RenderLane
    }

    private struct Idle {
        var child: ChildProcess
        var kind: Kind
        /// Jobs done.
        var jobs: Int
    }

    /// An SVG counts as this many, however small it is drawn: its text may take a second to parse.
    private static let pixelsOfSVG = 4_000_000

    private struct State {
        /// The most recently used one is last.
        var idle: [Idle] = []
        var isClosed = false
    }

    private let policy: IsolationPolicy
    private let limits: Limits
    private let nursery: Nursery
    private let state = Mutex(State())
    private let numbers = Atomic<Int>(0)
    private let starts = Atomic<Int>(0)

    init(_ policy: IsolationPolicy, _ limits: Limits) {
        self.policy = policy
        self.limits = limits
        nursery = Nursery(policy)
        if policy.scope != .none { nursery.prepare() }
    }

    func isolates(_ format: ImageFormat) -> Bool { policy.isolates(format) }

    /// Whether contact sheets are drawn in children.
    var isolatesSheets: Bool { policy.scope != .none }

    /// Renders in a child; blocks the calling render thread.
    ///
    /// - Parameters:
    ///   - header: decides the time limit.
    ///   - encodings: one per rendition.
    ///   - group: the pictures that the child may have rendered before.
    /// - Throws: ``ImagingError/crashed(reason:)``, ``ImagingError/tooSlow(seconds:)``,
    ///   ``ImagingError/misconfigured(reason:)``, or the child's own error.
    func render(
        _ original: [UInt8], _ header: Header, _ levels: [Level], _ renditions: [Rendition],
        _ encodings: [Encoding], _ early: EarlyWork?, _ allowance: ThreadAllowance,
        for group: IsolationGroup, _ lane: RenderLane
    ) throws(ImagingError) -> Rendering {
        var request = request(
            .original(header.format), original, levels, renditions, encodings)
        request.early = early?.count ?? 0
        return try run(
            request, renditions, original, early, allowance,
            in: Kind(group: group, lane: lane), within: deadline(header))
    }

    /// Draws a contact sheet in a child that serves nothing else, because its thumbnails may come
    /// from several sources and earlier children; blocks the calling render thread.
    ///
    /// - Parameter whole: the sheet as a rendition of its own size.
    /// - Returns: the encoded sheet.
    func draw(
        _ sheet: ContactSheet, _ whole: Rendition, _ encoding: Encoding, _ lane: RenderLane,
        within deadline: Duration
    ) throws(ImagingError) -> [UInt8] {
        let input = sheet.bytes
        var request = request(.sheet, input, [], [whole], [encoding])
        // Limits of originals don't apply to sheets.
        request.maxPixels = max(request.maxPixels, sheet.pixels)
        request.maxSide = max(request.maxSide, sheet.width, sheet.height)
        let rendering = try run(
            request, [whole], input, nil, ThreadAllowance(),
            in: Kind(group: .alone, lane: lane), within: deadline)
        return rendering.thumbnails.first?.bytes ?? []
    }

    /// Makes the pyramid of an original in a child; blocks the calling render thread.
    ///
    /// - Throws: as ``render(_:_:_:_:_:_:_:for:_:)``.
    func pyramid(
        _ original: [UInt8], _ header: Header, _ encoding: Encoding, for group: IsolationGroup,
        _ lane: RenderLane
    ) throws(ImagingError) -> Rendering {
        try run(
            request(.pyramid(header.format), original, [], [.pyramid], [encoding]), [.pyramid],
            original, nil, ThreadAllowance(), in: Kind(group: group, lane: lane),
            within: deadline(header))
    }

    /// Makes a part of a picture from tiles in a child; blocks the calling render thread.
    ///
    /// - Returns: the encoded part.
    func cut(
        _ cut: PictureCut, _ format: ThumbnailFormat, _ encoding: Encoding,
        for group: IsolationGroup, _ lane: RenderLane, within deadline: Duration
    ) throws(ImagingError) -> [UInt8] {
        let input = cut.bytes
        let size = cut.size
        let whole = Rendition(
            level: Level(name: "", width: size.width, height: size.height), format: format)
        var request = request(.cut, input, [], [whole], [encoding])
        // Limits of originals don't apply to what is made from their tiles.
        request.maxPixels = max(request.maxPixels, cut.pixels)
        request.maxSide = max(request.maxSide, size.width, size.height)
        let rendering = try run(
            request, [whole], input, nil, ThreadAllowance(), in: Kind(group: group, lane: lane),
            within: deadline)
        return rendering.thumbnails.first?.bytes ?? []
    }

    private func request(
        _ input: RenderRequest.Input, _ bytes: [UInt8], _ levels: [Level],
        _ renditions: [Rendition], _ encodings: [Encoding]
    ) -> RenderRequest {
        RenderRequest(
            number: numbers.wrappingAdd(1, ordering: .relaxed).newValue, input: input,
            count: bytes.count, maxBytes: limits.maxBytes, maxPixels: limits.maxPixels,
            maxSide: limits.maxSide,
            levels: levels.map { RenderRequest.Box($0) },
            parts: zip(renditions, encodings).map { rendition, encoding in
                RenderRequest.Part(
                    box: RenderRequest.Box(rendition.level), encoding: encoding)
            })
    }

    private func run(
        _ request: RenderRequest, _ renditions: [Rendition], _ input: [UInt8],
        _ early: EarlyWork?, _ allowance: ThreadAllowance, in kind: Kind,
        within deadline: Duration
    ) throws(ImagingError) -> Rendering {
        let isPlanar = request.isPlanar && !kind.group.isAlone
        var taken: Idle
        if let idle = take(kind) {
            taken = idle
        } else {
            taken = try start(kind, withLibraries: !isPlanar)
        }
        var end = try taken.child.render(
            request, renditions, input, early, allowance, within: deadline)
        if case .answered(let reply) = end, reply.needsLibraries {
            taken.child.end()
            taken = try start(kind, withLibraries: true)
            var request = request
            // They may have been delivered.
            request.early = 0
            end = try taken.child.render(
                request, renditions, input, nil, allowance, within: deadline)
        }
        switch end {
        case .answered(let reply) where reply.needsLibraries:
            throw .crashed(reason: "its reply can't be true")
        case .answered(let reply):
            taken.jobs += 1
            keep(taken)
            return try reply.result.get()
        case .died(let signal): throw .crashed(reason: Self.words(signal))
        case .late: throw .tooSlow(seconds: deadline / .seconds(1))
        case .lied: throw .crashed(reason: "its reply can't be true")
        case .lost:
            throw .misconfigured(reason: "\(policy.executable), which starts renderers, ended")
        }
    }

    /// Returns the processor time for a picture.
    func deadline(_ header: Header) -> Duration {
        deadline(
            pixels: header.format == .svg ? max(header.pixels, Self.pixelsOfSVG) : header.pixels)
    }

    /// Returns the processor time for that many pixels.
    func deadline(pixels: Int) -> Duration {
        let megapixels = Double(pixels) / 1_000_000
        return policy.deadline + policy.deadlinePerMegapixel * megapixels
    }

    // The most recently used one is the warmest.
    private func take(_ kind: Kind) -> Idle? {
        state.withLock { state in
            guard let index = state.idle.lastIndex(where: { $0.kind == kind }) else { return nil }
            return state.idle.remove(at: index)
        }
    }

    private func start(_ kind: Kind, withLibraries: Bool) throws(ImagingError) -> Idle {
        starts.add(1, ordering: .relaxed)
        let child = try ChildProcess(
            nursery, niceness: kind.lane.niceness, withLibraries: withLibraries)
        return Idle(child: child, kind: kind, jobs: 0)
    }

    private func keep(_ child: Idle) {
        guard !child.kind.group.isAlone, child.jobs < policy.jobs else { return }
        // Ended outside the lock.
        let surplus = state.withLock { state -> Idle? in
            if state.isClosed { return child }
            state.idle.append(child)
            return state.idle.count > policy.idle ? state.idle.removeFirst() : nil
        }
        surplus?.child.end()
    }

    private static func words(_ signal: Int32?) -> String {
        signal.map { "it ended by signal \($0)" } ?? "it exited by itself"
    }

    /// Children started so far.
    var started: Int { starts.load(ordering: .relaxed) }

    /// Process numbers of idle children.
    var idle: [Int32] { state.withLock { $0.idle.map(\.child.process) } }

    /// Ends idle children; busy ones end with their jobs' threads.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for child in idle { child.child.end() }
        nursery.close()
    }
}
