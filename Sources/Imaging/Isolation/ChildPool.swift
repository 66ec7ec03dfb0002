import Synchronization
import Threads

/// Child processes that render, kept between jobs. A render thread takes one per job, so that never
/// more work than there are threads.
///
/// A child renders pictures of one group only, so that one that was taken over can't change
/// thumbnails of another source.
final class ChildPool: Sendable {
    private struct Idle {
        var child: ChildProcess
        /// Of all its pictures.
        var group: IsolationGroup
        /// A process can't lower its niceness again, see setpriority(2).
        var lane: RenderLane
        /// Whether it was started with libvips.
        var hasLibraries: Bool
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

    let policy: IsolationPolicy
    private let limits: Limits
    private let nursery: Nursery
    private let state = Mutex(State())
    private let numbers = Atomic<Int>(0)
    private let starts = Counter()

    init(_ policy: IsolationPolicy, _ limits: Limits) {
        self.policy = policy
        self.limits = limits
        nursery = Nursery(policy)
        if policy.isOn, !policy.sparesPlainJPEGs { nursery.prepare() }
    }

    func isolates(_ job: Job) -> Bool {
        if policy.sparesPlainJPEGs, job.isPlainJPEG { return false }
        return policy.isOn || job.header?.format.isAlwaysIsolated == true
    }

    /// Renders in a child; blocks the calling render thread.
    ///
    /// - Parameters:
    ///   - cost: decides the memory and the processor time that the child may take.
    ///   - group: the pictures that the child may have rendered before.
    /// - Throws: ``ImagingError/crashed(reason:)``, ``ImagingError/tooSlow(seconds:)``,
    ///   ``ImagingError/overLimit(reason:)`` if it takes more memory than was predicted,
    ///   ``ImagingError/overloaded`` if the machine is too busy, ``ImagingError/misconfigured(reason:)``,
    ///   or the child's own error.
    func render(
        _ job: Job, _ early: EarlyWork?, _ threads: Int, _ cost: RenderCost,
        for group: IsolationGroup, _ lane: RenderLane
    ) throws(ImagingError) -> Rendering {
        let predicted = Int.clampedSum(cost.peak, .clampedProduct(threads - 1, cost.side))
        let memory = Int.clampedProduct(predicted, cost.mapped)
        let deadline = cost.limit ?? policy.deadline
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        let (message, input) = RenderRequest.of(job, number: number, limits)
        var request = message
        request.allowed = predicted
        request.threads = threads
        request.early = early?.count ?? 0
        func render(in child: ChildProcess, early: EarlyWork?) throws(ImagingError)
            -> ChildProcess.End
        {
            request.early = early == nil ? 0 : request.early
            return try child.render(
                request, input, early, within: deadline,
                deadline * policy.clockFactor)
        }
        var taken = try take(group, lane, memory, withLibraries: !request.isPlanar)
        var end = try render(in: taken.child, early: early)
        let isDoubtful = end.isDoubtful
        if isDoubtful || taken.jobs > 0 && end.isExhausted(predicted) {
            // What it held of other pictures is not the fault of this one.
            taken.child.end()
            taken = try start(group, lane, memory, withLibraries: true)
            if isDoubtful { request.parts = job.byLibvips.parts }
            // The early ones may have been delivered.
            end = try render(in: taken.child, early: nil)
        }
        if end.isExhausted(predicted) {
            taken.child.end()
            throw .exhausted(memory)
        }
        switch end {
        case .answered(let reply) where reply.isDoubtful:
            throw .crashed(reason: "its reply can't be true")
        case .answered(let reply):
            taken.jobs += 1
            keep(taken)
            return try reply.result.get()
        case .died(let signal, _): throw .crashed(reason: Self.words(signal))
        case .late: throw .tooSlow(seconds: deadline / .seconds(1))
        case .stalled: throw .overloaded
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

    /// Returns an idle child, the most recently used one because it is the warmest, or a new one.
    private func take(
        _ group: IsolationGroup, _ lane: RenderLane, _ memory: Int, withLibraries: Bool
    ) throws(ImagingError) -> Idle {
        let idle = state.withLock { state -> Idle? in
            let index = state.idle.lastIndex {
                $0.group == group && $0.lane == lane && ($0.hasLibraries || !withLibraries)
            }
            guard let index else { return nil }
            return state.idle.remove(at: index)
        }
        assert(
            idle.map { $0.group == group && $0.lane == lane } ?? true,
            "a child of another group is taken")
        if let idle {
            if try idle.child.limit(memory: memory) { return idle }
            idle.child.end()
        }
        return try start(group, lane, memory, withLibraries: withLibraries)
    }

    private func start(
        _ group: IsolationGroup, _ lane: RenderLane, _ memory: Int, withLibraries: Bool
    ) throws(ImagingError) -> Idle {
        starts.add()
        let child = try ChildProcess(
            nursery, niceness: Int(lane.niceness), memory: memory,
            withLibraries: withLibraries)
        return Idle(
            child: child, group: group, lane: lane, hasLibraries: withLibraries, jobs: 0)
    }

    /// Keeps a child for the next picture, with the memory of a new one.
    private func keep(_ child: Idle) {
        guard !child.group.isAlone, child.jobs < policy.jobs, Allocator.isClean,
            isLowered(child.child)
        else { return }
        // Ended outside the lock.
        let surplus = state.withLock { state -> Idle? in
            if state.isClosed { return child }
            assert(
                !state.idle.contains { $0.child.process == child.child.process },
                "a child is kept twice")
            state.idle.append(child)
            let surplus = state.idle.count > policy.idle ? state.idle.removeFirst() : nil
            assert(state.idle.count <= policy.idle, "more children are kept than may be")
            return surplus
        }
        surplus?.child.end()
    }

    /// Returns whether a child holds little, and can't take more than a quick picture needs.
    private func isLowered(_ child: ChildProcess) -> Bool {
        do throws(ImagingError) {
            return try child.limit(memory: 0)
        } catch {
            return false
        }
    }

    private static func words(_ signal: Int32?) -> String {
        signal.map { "it ended by signal \($0)" } ?? "it exited by itself"
    }

    /// Children started so far.
    var started: Int { starts.value }

    /// Processor time of all children so far, and of the process that starts them.
    var processorTime: Duration { nursery.times.total }

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

extension ChildProcess.End {
    fileprivate var isDoubtful: Bool {
        if case .answered(let reply) = self { reply.isDoubtful } else { false }
    }

    /// Whether the child found no more memory. A program that finds none often ends itself.
    fileprivate func isExhausted(_ memory: Int) -> Bool {
        switch self {
        case .answered(let reply):
            switch reply.result {
            case .failure(.overLimit(let reason)), .failure(.misconfigured(let reason)):
                reason.hasPrefix(ImagingError.noMemory)
            default: false
            }
        case .died(_?, let peak): peak > memory / 2
        case .died(nil, _), .late, .stalled, .lied, .lost: false
        }
    }
}
