import CSandbox

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A child that renders, and the channel to it. Owned by one thread at a time; ends with its owner.
final class ChildProcess: Sendable {
    let process: pid_t
    private let channel: Channel

    /// Starts one; what the program can't do itself shows at the first job.
    init(_ policy: IsolationPolicy) throws(ImagingError) {
        var ends: (Int32, Int32) = (-1, -1)
        guard sandbox_pair(&ends.0, &ends.1) == 0 else {
            throw Self.failed("no channel to a renderer can be had")
        }
        channel = Channel(ends.0)
        defer { close(ends.1) }
        let limits = sandbox_limits(
            memory: UInt64(policy.memory) + Self.untouched,
            addresses: UInt64(policy.memory) + Self.addresses,
            seconds: 0)
        let words = [policy.executable] + policy.arguments
        let child = Self.withArguments(words) {
            sandbox_spawn(policy.executable, $0, ends.1, limits)
        }
        guard child > 0 else {
            throw Self.failed("the renderer \(policy.executable) does not start")
        }
        process = child
    }

    /// Data that the kernel counts and a renderer doesn't touch, such as most of its threads' stacks.
    private static let untouched: UInt64 = 64 << 20
    /// Addresses that a program with all libraries takes without using memory for them.
    private static let addresses: UInt64 = 8 << 30

    deinit {
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    enum End {
        case answered(RenderReply)
        /// By a signal, or of its own accord.
        case died(signal: Int32?)
        /// Longer than it was given.
        case late
        /// Something that can't be true.
        case lied
    }

    /// Sends an order and waits for its answer; blocks. After anything but an answer the child is of
    /// no use.
    func render(
        _ order: RenderOrder, _ renditions: [Rendition], _ original: borrowing SharedMemory,
        within deadline: Duration
    ) -> End {
        guard channel.send(order.message, original) else { return .died(signal: ended()) }
        let began = sandbox_processor_time(process)
        let start = ContinuousClock.now
        while !channel.waits(milliseconds: Self.step) {
            let used = Duration.nanoseconds(max(0, sandbox_processor_time(process) - began))
            let isLate = used > deadline || ContinuousClock.now - start > deadline * Self.patience
            if isLate { return .late }
        }
        guard let received = channel.receive() else { return .died(signal: ended()) }
        let reply = RenderReply(
            message: received.message, memory: received.memory, for: order, renditions)
        return reply.map(End.answered) ?? .lied
    }

    /// How often the clock is looked at while a child works.
    private static let step = 50
    /// Time on the wall for each of the processor: others have work to do, too.
    private static let patience = 4

    /// Why it ended; ends it where it hasn't.
    private func ended() -> Int32? {
        var info = siginfo_t()
        // Does nothing to one that is on its way out: why it ended is settled before it closes files.
        kill(process, SIGKILL)
        while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        guard info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED else { return nil }
        return info._sifields._sigchld.si_status
    }

    private static func withArguments(
        _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> pid_t
    ) -> pid_t {
        let copies = words.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { pointers in
            pointers.baseAddress.map(body) ?? -1
        }
    }

    private static func failed(_ what: String) -> ImagingError {
        .misconfigured(reason: "\(what): \(String(cString: strerror(errno)))")
    }
}
