import CSandbox
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A process that forks children. It runs one thread, holds no secret and never sees a picture. It loads
/// all libraries once it has time or a child needs them, so that a fork of it renders within
/// milliseconds. Thread-safe.
final class Nursery: Sendable {
    private final class Running: Sendable {
        let process: pid_t
        let channel: Channel

        init(_ process: pid_t, _ channel: consuming Channel) {
            self.process = process
            self.channel = channel
        }

        // Its children end with it.
        deinit {
            kill(process, SIGKILL)
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }

        /// Sends a request and blocks for the time of a fork; returns nil if the process has ended.
        func reply(to request: NurseryRequest, descriptor: Int32 = -1) -> NurseryReply? {
            guard channel.send(request.message, descriptor: descriptor),
                let received = channel.receive()
            else { return nil }
            return NurseryReply(message: received)
        }
    }

    private let policy: IsolationPolicy
    private let running = Mutex<Running?>(nil)

    init(_ policy: IsolationPolicy) { self.policy = policy }

    /// Starts the process before the first picture comes. Call on a thread of normal priority,
    /// which the process inherits.
    func prepare() {
        do throws(ImagingError) {
            try running.withLock { (running) throws(ImagingError) in
                if running == nil { running = try Self.start(policy) }
            }
        } catch {
            // The first picture fails with the same error.
        }
    }

    struct Started: ~Copyable {
        let process: pid_t
        let channel: Channel
    }

    /// Starts a child.
    ///
    /// - Parameter withLibraries: false for one that may have to do without libvips.
    /// - Throws: ``ImagingError/misconfigured(reason:)``
    func child(niceness: Int, withLibraries: Bool) throws(ImagingError) -> Started {
        let pair = try Channel.pair()
        let request = NurseryRequest.start(niceness: niceness, withLibraries: withLibraries)
        let process = try running.withLock { (running) throws(ImagingError) -> pid_t in
            // Retried if it ended since the last child, which is not this picture's fault.
            for _ in 0..<2 {
                if running == nil { running = try Self.start(policy) }
                switch running?.reply(to: request, descriptor: pair.other.descriptor) {
                case .done(let process): return process
                case .failed(let reason): throw .misconfigured(reason: reason)
                case nil: running = nil
                }
            }
            throw .misconfigured(
                reason: "\(policy.executable) ended before it started a renderer")
        }
        return Started(process: process, channel: pair.own)
    }

    enum End: Equatable {
        /// Without a signal it exited by itself.
        case ended(signal: Int32?)
        /// It ended with the process that started it.
        case unknown
    }

    /// Ends a child; returns why it ended if it had already. Call once per child.
    @discardableResult
    func end(_ child: pid_t) -> End {
        running.withLock { running in
            switch running?.reply(to: .end(child)) {
            case .done(let signal): .ended(signal: signal == 0 ? nil : signal)
            case .failed, nil: .unknown
            }
        }
    }

    /// Ends the process.
    func close() { running.withLock { $0 = nil } }

    /// Address space that a program with all libraries takes without using the memory.
    private static let addresses: UInt64 = 8 << 30

    private static func start(_ policy: IsolationPolicy) throws(ImagingError) -> Running {
        let pair = try Channel.pair()
        let limits = sandbox_limits(
            memory: UInt64(policy.dataLimit),
            addresses: UInt64(policy.memory) + addresses, seconds: 0)
        let words = [policy.executable] + policy.arguments
        let process = withArguments(words) {
            sandbox_spawn(policy.executable, $0, pair.other.descriptor, limits)
        }
        guard process > 0 else {
            let reason = String(cString: strerror(errno))
            throw .misconfigured(
                reason: "the renderer \(policy.executable) does not start: \(reason)")
        }
        return Running(process, pair.own)
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
}
