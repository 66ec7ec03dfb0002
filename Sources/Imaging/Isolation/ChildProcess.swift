import CSandbox
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A child that renders, the channel to it and the memory it shares. Used by one thread at a time;
/// ends with its owner.
final class ChildProcess: Sendable {
    private struct State {
        var memory: SharedMemory?
        var hasEnded = false
    }

    let process: pid_t
    private let nursery: Nursery
    private let channel: Channel
    private let state = Mutex(State())

    /// Starts one; what the program can't do itself shows at the first job.
    init(_ nursery: Nursery, niceness: Int) throws(ImagingError) {
        let started = try nursery.child(niceness: niceness)
        process = started.process
        channel = started.channel
        self.nursery = nursery
    }

    deinit { end() }

    /// Ends it; the first time only.
    func end() { _ = ended() }

    enum End {
        case answered(RenderReply)
        /// By a signal, or of its own accord.
        case died(signal: Int32?)
        /// Longer than it was given.
        case late
        /// Something that can't be true.
        case lied
        /// It ended with the process that started it.
        case lost
    }

    /// Sends an order and waits for its answer; blocks. After anything but an answer the child is of
    /// no use.
    func render(
        _ order: RenderOrder, _ renditions: [Rendition], _ original: [UInt8],
        within deadline: Duration
    ) throws(ImagingError) -> End {
        let began = sandbox_processor_time(process)
        guard try send(order, original) else { return ended() }
        let start = ContinuousClock.now
        while !channel.waits(milliseconds: Self.step) {
            let used = Duration.nanoseconds(max(0, sandbox_processor_time(process) - began))
            let isLate = used > deadline || ContinuousClock.now - start > deadline * Self.patience
            if isLate { return .late }
        }
        guard let message = channel.receive() else { return ended() }
        return reply(message, order, renditions).map(End.answered) ?? .lied
    }

    /// How often the clock is looked at while a child works.
    private static let step = 50
    /// Time on the wall for each of the processor: others have work to do, too.
    private static let patience = 4
    /// The least, so that few pictures need another; twice as much for the next larger.
    private static let leastMemory = 16 << 20
    /// Bytes that stay with a child between pictures: enough for most posters and covers. They are
    /// part of what `MemoryShares` counts for an idle child.
    private static let keptMemory = 1 << 20

    /// False if the child is gone.
    private func send(_ order: RenderOrder, _ original: [UInt8]) throws(ImagingError) -> Bool {
        let isFile = order.input.isReadFromFile
        let isSent = try state.withLock { (state) throws(ImagingError) in
            if let memory = state.memory, memory.count >= order.memory {
                return (isFile || memory.write(original, at: 0)) && channel.send(order.message)
            }
            var count = Self.leastMemory
            while count < order.memory { count *= 2 }
            let memory = try SharedMemory(count: count)
            state.memory = memory
            return (isFile || memory.write(original, at: 0))
                && channel.send(order.message, descriptor: memory.descriptor)
        }
        guard isSent, isFile else { return isSent }
        // Ends where the original ends, so that one that is cut is seen to be.
        let file = try SharedMemory(count: original.count)
        return file.write(original, at: 0) && channel.send([0], descriptor: file.descriptor)
    }

    /// nil if it can't be true.
    private func reply(
        _ message: [UInt8], _ order: RenderOrder, _ renditions: [Rendition]
    ) -> RenderReply? {
        state.withLock { state in
            guard let memory = state.memory else { return nil }
            defer { memory.release(over: Self.keptMemory) }
            return RenderReply(message: message, memory: memory, for: order, renditions)
        }
    }

    /// Why it ended; ends it if it hasn't.
    private func ended() -> End {
        let hadEnded = state.withLock { state in
            defer { state.hasEnded = true }
            return state.hasEnded
        }
        if hadEnded { return .lost }
        return switch nursery.end(process) {
        case .ended(let signal): .died(signal: signal)
        case .unknown: .lost
        }
    }
}
