import CSandbox
import Dispatch
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
        private let times: ChildTimes
        /// One caller at a time.
        private let turn = DispatchSemaphore(value: 1)

        init(_ process: pid_t, _ channel: consuming Channel, _ times: ChildTimes) {
            self.process = process
            self.channel = channel
            self.times = times
            times.begin(process)
        }

        // Its children end with it.
        deinit {
            // What the kernel tells of it afterwards has the time of its children, which is counted already.
            times.look(process)
            times.end(process)
            kill(process, SIGKILL)
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }

        /// Sends a request and blocks until the reply, which takes the time of a fork. Returns nil if the
        /// process has ended. A process that doesn't reply in time is ended, with its children.
        ///
        /// - Throws: ``ImagingError/overloaded`` if the process or earlier calls take too long.
        func reply(
            to request: NurseryRequest, descriptor: Int32, within limit: Duration
        ) throws(ImagingError) -> Reply? {
            let milliseconds = Int(clamped: limit / .milliseconds(1))
            if case .end = request {
                // Nothing else would end the child. Each call before this one has a limit.
                turn.wait()
            } else if turn.wait(timeout: .now() + .milliseconds(milliseconds)) != .success {
                throw .overloaded
            }
            defer { turn.signal() }
            guard channel.send(request.bytes, descriptor: descriptor) else { return nil }
            guard channel.waits(milliseconds: milliseconds) else {
                // Its reply would be taken for that to the next request.
                kill(process, SIGKILL)
                throw .overloaded
            }
            guard let received = channel.receiveWithDescriptor() else { return nil }
            if let reply = NurseryReply(bytes: received.message) {
                return (reply, received.descriptor)
            }
            // Closes it.
            if let descriptor = received.descriptor { _ = Channel(descriptor) }
            return nil
        }
    }

    /// A reply, and the descriptor that comes with it, which the caller must close.
    private typealias Reply = (reply: NurseryReply, descriptor: Int32?)

    private let policy: IsolationPolicy
    private let running = Mutex<Running?>(nil)
    /// Of the process and its children.
    let times = ChildTimes()

    init(_ policy: IsolationPolicy) { self.policy = policy }

    /// Starts the process before the first picture comes. Call on a thread of normal priority,
    /// which the process inherits.
    func prepare() {
        do throws(ImagingError) {
            _ = try process()
        } catch {
            // The first picture fails with the same error.
        }
    }

    /// Returns the process, which is started if none runs.
    private func process() throws(ImagingError) -> Running {
        try running.withLock { (running) throws(ImagingError) in
            if let running { return running }
            let started = try start()
            running = started
            return started
        }
    }

    /// Sends a request; returns nil if the process has ended.
    ///
    /// - Throws: ``ImagingError/overloaded`` if the call takes too long.
    private func call(
        _ process: Running, _ request: NurseryRequest, descriptor: Int32 = -1
    ) throws(ImagingError) -> Reply? {
        let limit = policy.callLimit
        let reply = try process.reply(to: request, descriptor: descriptor, within: limit)
        // Another caller may have started the next one already.
        if reply == nil { running.withLock { if $0 === process { $0 = nil } } }
        return reply
    }

    struct Started: ~Copyable {
        let process: pid_t
        let channel: Channel
        /// Tells the child's memory; the caller must close it.
        let statm: Int32
    }

    /// Starts a child.
    ///
    /// - Parameters:
    ///   - memory: bytes that it may take besides those it begins with.
    ///   - withLibraries: false for one that may have to do without libvips.
    /// - Throws: ``ImagingError/misconfigured(reason:)``, ``ImagingError/overloaded``
    func child(
        niceness: Int, memory: Int, withLibraries: Bool
    ) throws(ImagingError) -> Started {
        let pair = try Channel.pair()
        let request = NurseryRequest.start(
            niceness: niceness, memory: memory, withLibraries: withLibraries)
        // Retried if it ended since the last child, which is not this picture's fault.
        for _ in 0..<2 {
            let received = try call(try process(), request, descriptor: pair.other.descriptor)
            switch received?.reply {
            case .done(let process):
                times.begin(process)
                return Started(
                    process: process, channel: pair.own, statm: received?.descriptor ?? -1)
            case .failed(let reason): throw .misconfigured(reason: reason)
            case .ended, nil: continue
            }
        }
        throw .misconfigured(reason: "\(policy.executable) ended before it started a renderer")
    }

    /// Lets a child have so many bytes in all; returns false if it can't be limited.
    func limit(_ child: pid_t, memory: Int) throws(ImagingError) -> Bool {
        guard let process = running.withLock({ $0 }) else { return false }
        let received = try call(process, .limit(child, memory: memory))
        if case .done = received?.reply { return true }
        return false
    }

    /// Ends a child. Call once per child.
    ///
    /// - Returns: why it ended if it had already. Without a signal it exited by itself; `peak` has the bytes
    ///   that it took at most, besides those that a new child has. nil if it ended with the process that
    ///   started it.
    func end(_ child: pid_t) -> (signal: Int32?, peak: Int)? {
        var total: Int64?
        times.look(child)
        defer { times.end(child, time: total) }
        guard let process = running.withLock({ $0 }) else { return nil }
        do throws(ImagingError) {
            let received = try call(process, .end(child))
            guard case .ended(let signal, let peak, let time) = received?.reply else { return nil }
            total = time
            return (signal == 0 ? nil : signal, peak)
        } catch {
            // It ends with its channel.
            return nil
        }
    }

    /// Ends the process.
    func close() { running.withLock { $0 = nil } }

    /// Address space that a program with all libraries takes without using the memory.
    private static let addresses: UInt64 = 8 << 30

    private func start() throws(ImagingError) -> Running {
        let pair = try Channel.pair()
        let limits = sandbox_limits(
            memory: UInt64(policy.dataLimit),
            addresses: UInt64(policy.memory) + Self.addresses, seconds: 0)
        // What is executed has no name of its own.
        let words = [CommandLine.arguments.first ?? policy.executable] + policy.arguments
        let process = Self.withArguments(words) {
            sandbox_spawn(policy.executable, $0, pair.other.descriptor, limits)
        }
        guard process > 0 else {
            let reason = String(cString: strerror(errno))
            throw .misconfigured(
                reason: "the renderer \(policy.executable) does not start: \(reason)")
        }
        return Running(process, pair.own, times)
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
