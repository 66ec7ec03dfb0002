import Synchronization

/// Children that render, kept between jobs. A render thread takes one for a job, so there are never
/// more at work than threads.
///
/// A child renders pictures of one group only: one that a picture took over can change no thumbnail
/// of another source.
final class ChildPool: Sendable {
    /// What pictures have in common that one child renders.
    private struct Kind: Equatable {
        var group: IsolationGroup
        /// A process can't become quicker again, see setpriority(2).
        var lane: RenderLane
    }

    private struct Idle {
        var child: ChildProcess
        var kind: Kind
        /// Jobs done.
        var jobs: Int
    }

    /// However small it is drawn: its text is checked first, which takes half a second for 8 MB.
    private static let pixelsOfSVG = 4_000_000

    private struct State {
        /// The one that worked last is the last.
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

    /// Renders in a child; blocks the calling thread, which is a render thread.
    ///
    /// - Parameters:
    ///   - header: says how much time it is given.
    ///   - encodings: one for each rendition.
    ///   - group: whose pictures the child may have seen.
    func render(
        _ original: [UInt8], _ header: Header, _ renditions: [Rendition], _ encodings: [Encoding],
        for group: IsolationGroup, _ lane: RenderLane
    ) throws(ImagingError) -> Rendering {
        let order = order(.original(header.format), original, renditions, encodings)
        return try run(
            order, renditions, original, in: Kind(group: group, lane: lane),
            within: deadline(header))
    }

    /// Draws a contact sheet in a child that serves nothing else, because its thumbnails may be of
    /// several sources, and an earlier child may have made them; blocks the calling thread, which is a
    /// render thread.
    ///
    /// - Parameter whole: the sheet as a rendition of its own size.
    /// - Returns: the encoded sheet.
    func draw(
        _ sheet: ContactSheet, _ whole: Rendition, _ encoding: Encoding, _ lane: RenderLane,
        within deadline: Duration
    ) throws(ImagingError) -> [UInt8] {
        let input = sheet.bytes
        var order = order(.sheet, input, [whole], [encoding])
        // The limits of originals are none of a sheet.
        order.maxPixels = max(order.maxPixels, sheet.pixels)
        order.maxSide = max(order.maxSide, sheet.width, sheet.height)
        let rendering = try run(
            order, [whole], input, in: Kind(group: .alone, lane: lane), within: deadline)
        return rendering.thumbnails.first?.bytes ?? []
    }

    private func order(
        _ input: RenderOrder.Input, _ bytes: [UInt8], _ renditions: [Rendition],
        _ encodings: [Encoding]
    ) -> RenderOrder {
        RenderOrder(
            number: numbers.wrappingAdd(1, ordering: .relaxed).newValue, input: input,
            count: bytes.count, maxBytes: limits.maxBytes, maxPixels: limits.maxPixels,
            maxSide: limits.maxSide,
            parts: zip(renditions, encodings).map { rendition, encoding in
                RenderOrder.Part(
                    width: rendition.level.width, height: rendition.level.height,
                    encoding: encoding)
            })
    }

    private func run(
        _ order: RenderOrder, _ renditions: [Rendition], _ input: [UInt8], in kind: Kind,
        within deadline: Duration
    ) throws(ImagingError) -> Rendering {
        var taken = try take(kind)
        switch try taken.child.render(order, renditions, input, within: deadline) {
        case .answered(let reply):
            taken.jobs += 1
            keep(taken)
            return try reply.result.get()
        case .died(let signal): throw .crashed(reason: Self.words(signal))
        case .late: throw .tooSlow(seconds: deadline / .seconds(1))
        case .lied: throw .crashed(reason: "it answered nonsense")
        case .lost:
            throw .misconfigured(reason: "\(policy.executable), which starts renderers, ended")
        }
    }

    /// Processor time for a picture.
    func deadline(_ header: Header) -> Duration {
        deadline(
            pixels: header.format == .svg ? max(header.pixels, Self.pixelsOfSVG) : header.pixels)
    }

    /// Processor time for that many pixels.
    func deadline(pixels: Int) -> Duration {
        let megapixels = Double(pixels) / 1_000_000
        return policy.deadline + policy.deadlinePerMegapixel * megapixels
    }

    /// The one that worked last is the warmest.
    private func take(_ kind: Kind) throws(ImagingError) -> Idle {
        let found = state.withLock { state -> Idle? in
            guard let index = state.idle.lastIndex(where: { $0.kind == kind }) else { return nil }
            return state.idle.remove(at: index)
        }
        if let found { return found }
        starts.add(1, ordering: .relaxed)
        let niceness = kind.lane.niceness
        return Idle(
            child: try ChildProcess(nursery, niceness: niceness), kind: kind, jobs: 0)
    }

    private func keep(_ child: Idle) {
        guard !child.kind.group.isAlone, child.jobs < policy.jobs else { return }
        // Ended outside of the lock.
        let surplus = state.withLock { state -> Idle? in
            if state.isClosed { return child }
            state.idle.append(child)
            return state.idle.count > policy.idle ? state.idle.removeFirst() : nil
        }
        surplus?.child.end()
    }

    private static func words(_ signal: Int32?) -> String {
        signal.map { "it ended by signal \($0)" } ?? "it ended by itself"
    }

    /// Children started so far.
    var started: Int { starts.load(ordering: .relaxed) }

    /// Processes of the children that are idle.
    var idle: [Int32] { state.withLock { $0.idle.map(\.child.process) } }

    /// Ends the children that are idle; those at work end with their jobs' threads.
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
