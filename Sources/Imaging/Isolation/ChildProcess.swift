import CSandbox
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A child that renders, with its channel and shared memory. Used by one thread at a time; ends
/// with this object.
final class ChildProcess: Sendable {
    private struct State {
        var memory: SharedMemory?
        /// Bytes that it may take besides those that it holds between pictures.
        var allowed: Int
        var hasEnded = false
    }

    let process: pid_t
    private let nursery: Nursery
    private let channel: Channel
    /// Tells the child's memory.
    private let statm: Int32
    private let state: Mutex<State>

    /// Bytes that a child may always take: what a quick picture needs, so that most need no call.
    private static let leastAllowed = RenderCost.quickPeak

    /// Starts a child; a failure within it shows at the first job.
    ///
    /// - Parameter memory: bytes that its first picture may take.
    init(
        _ nursery: Nursery, niceness: Int, memory: Int, withLibraries: Bool
    ) throws(ImagingError) {
        let allowed = max(memory, Self.leastAllowed)
        let started = try nursery.child(
            niceness: niceness, memory: allowed, withLibraries: withLibraries)
        state = Mutex(State(allowed: allowed))
        process = started.process
        statm = started.statm
        channel = started.channel
        self.nursery = nursery
    }

    deinit {
        end()
        close(statm)
    }

    /// Ends the child; later calls do nothing.
    func end() { _ = ended() }

    /// Lets the child take so many bytes for its next picture. Returns false if the child must be replaced.
    ///
    /// Call it with 0 after a picture: a child that holds more than ``IsolationPolicy/held`` is replaced, too.
    func limit(memory: Int) throws(ImagingError) -> Bool {
        let wanted = max(memory, Self.leastAllowed)
        var usage = sandbox_memory_usage()
        guard sandbox_usage(statm, &usage) == 0, usage.own <= UInt64(IsolationPolicy.held) else {
            return false
        }
        if state.withLock({ $0.allowed == wanted }) { return true }
        let most = Int.clampedSum(Int(clamping: usage.mapped), wanted, IsolationPolicy.untouched)
        guard try nursery.limit(process, memory: most) else { return false }
        state.withLock { $0.allowed = wanted }
        return true
    }

    enum End {
        case answered(RenderReply)
        /// By a signal, or by itself. `peak` has the bytes that its pictures took at most.
        case died(signal: Int32?, peak: Int)
        /// It took more processor time than it was given.
        case late
        /// It got too little processor time.
        case stalled
        /// It sent a reply that can't be true.
        case lied
        /// It ended with the process that started it.
        case lost
    }

    /// Sends a request and blocks until the reply. After anything but a reply the child can't be used
    /// again.
    ///
    /// - Parameters:
    ///   - early: gets the thumbnails of an early reply.
    ///   - deadline: in processor time of the child.
    ///   - patience: in time on the clock, while neither this process nor the machine sleeps.
    func render(
        _ request: RenderRequest, _ original: [UInt8], _ early: EarlyWork?,
        within deadline: Duration, _ patience: Duration
    ) throws(ImagingError) -> End {
        var early = early
        let began = sandbox_processor_time(process)
        guard try send(request, original) else { return ended() }
        // Counted, because a clock also runs while this process is stopped.
        var waited = Duration.zero
        while true {
            while !channel.waits(milliseconds: Self.step) {
                let used = Duration.nanoseconds(max(0, sandbox_processor_time(process) - began))
                if used > deadline { return .late }
                waited += .milliseconds(Self.step)
                if waited > patience { return .stalled }
            }
            guard let message = channel.receive() else { return ended() }
            guard let reply = reply(message, request) else { return .lied }
            guard reply.isEarly else { return .answered(reply) }
            // A second one would be a lie.
            guard let waiting = early, case .success(let rendering) = reply.result else {
                return .lied
            }
            early = nil
            waiting.deliver(
                PixelSize(width: rendering.info.width, height: rendering.info.height),
                rendering.thumbnails)
        }
    }

    /// Milliseconds between checks of the clock.
    private static let step = 20
    /// Bytes of the first shared memory, enough for most pictures; doubled until it suffices.
    private static let leastMemory = 16 << 20
    /// Bytes that a child keeps between pictures, enough for most posters and covers.
    /// `MemoryShares` counts them with an idle child.
    private static let keptMemory = 1 << 20

    /// Sends the request and the original; returns false if the child has ended.
    private func send(
        _ request: RenderRequest, _ original: [UInt8]
    ) throws(ImagingError) -> Bool {
        let isFile = request.isReadFromFile
        let isSent = try state.withLock { (state) throws(ImagingError) in
            if let memory = state.memory, memory.count >= request.memory {
                return (isFile || memory.write(original, at: 0)) && channel.send(request.bytes)
            }
            var count = Self.leastMemory
            while count < request.memory { count *= 2 }
            let memory = try SharedMemory(count: count)
            state.memory = memory
            return (isFile || memory.write(original, at: 0))
                && channel.send(request.bytes, descriptor: memory.descriptor)
        }
        guard isSent, isFile else { return isSent }
        // The file ends where the original ends, so that a truncated one is noticed.
        let file = try SharedMemory(count: original.count)
        return file.write(original, at: 0) && channel.send([0], descriptor: file.descriptor)
    }

    /// Reads a reply; nil if it can't be true.
    private func reply(_ message: [UInt8], _ request: RenderRequest) -> RenderReply? {
        state.withLock { state in
            guard let memory = state.memory else { return nil }
            let reply = RenderReply(message: message, memory: memory, for: request)
            // The next picture's child finds neither this original nor its thumbnails.
            if reply?.isEarly != true { memory.clear(releasingOver: Self.keptMemory) }
            return reply
        }
    }

    /// Ends the child; returns why it ended if it had already.
    private func ended() -> End {
        let hadEnded = state.withLock { state in
            defer { state.hasEnded = true }
            return state.hasEnded
        }
        if hadEnded { return .lost }
        return nursery.end(process).map { .died(signal: $0.signal, peak: $0.peak) } ?? .lost
    }
}
