import CLinux
import Foundation
import Glibc
import Synchronization

/// What a test's connection does with what it receives. On the connection's thread only.
protocol ConnectionUser: AnyObject {
    /// The handshake is done.
    func established()
    func received(_ bytes: [UInt8])
    /// The other end sends nothing more.
    func ended()
    /// The connection is closed.
    func closed()
}

extension ConnectionUser {
    func established() {}
}

/// A connection of a test's origin or client, with a thread of its own. It exchanges bytes and runs
/// what is asked for, until it is closed. All but ``Remote`` belongs to that thread.
final class ConnectionLoop {
    typealias Work = @Sendable (ConnectionLoop) -> Void

    /// The loop as other threads see it.
    final class Remote: Sendable {
        let wake: CInt
        /// Nil once the loop has ended.
        private let work = Mutex<[Work]?>([])

        init() { wake = vitrine_eventfd() }

        deinit { Glibc.close(wake) }

        /// Runs `one` on the thread. Returns false if the connection is closed.
        @discardableResult
        func run(_ one: @escaping Work) -> Bool {
            let isOpen = work.withLock { work in
                work?.append(one)
                return work != nil
            }
            if isOpen {
                var count: UInt64 = 1
                _ = write(wake, &count, MemoryLayout<UInt64>.size)
            }
            return isOpen
        }

        /// Runs `one` on the thread, and returns its result; nil if the connection is closed.
        @discardableResult
        func result<Value: Sendable>(
            of one: @escaping @Sendable (ConnectionLoop) -> Value
        ) async -> Value? {
            await withCheckedContinuation { continuation in
                let isOpen = run { loop in
                    continuation.resume(returning: loop.isOpen ? one(loop) : nil)
                }
                if !isOpen { continuation.resume(returning: nil) }
            }
        }

        /// Submits something on the thread, and returns the result once everything is sent; nil if the
        /// connection is closed.
        func sent<Value: Sendable>(
            _ one: @escaping @Sendable (ConnectionLoop) -> Value
        ) async -> Value? {
            await withCheckedContinuation { continuation in
                let isOpen = run { loop in
                    guard loop.isOpen else { return continuation.resume(returning: nil) }
                    let value = one(loop)
                    loop.afterSending { continuation.resume(returning: $0 ? value : nil) }
                }
                if !isOpen { continuation.resume(returning: nil) }
            }
        }

        fileprivate func take() -> [Work] {
            work.withLock { work in
                defer { work = work.map { _ in [] } }
                return work ?? []
            }
        }

        fileprivate func end() -> [Work] {
            work.withLock { work in
                defer { work = nil }
                return work ?? []
            }
        }
    }

    let remote: Remote
    private let file: CInt
    private let transport: LoopTransport
    private(set) var user: (any ConnectionUser)?
    private var timers: [(at: ContinuousClock.Instant, then: () -> Void)] = []
    private var resumptions: [Int: () -> Void] = [:]
    private var lastResumption = 0
    private var whenSent: [(Bool) -> Void] = []
    /// Whether the thread receives what arrives.
    var reads = true
    private var readsOnce = false
    private var isInputOpen = true
    private var isClosing = false
    private(set) var isOpen = true

    /// Starts the thread of a connection. The thread closes the socket.
    ///
    /// - Parameters:
    ///   - file: a socket.
    ///   - transport: called on the thread; nil if TLS has no memory for one more.
    ///   - user: called on the thread.
    static func start(
        _ file: CInt, _ remote: Remote,
        transport: @escaping @Sendable () -> LoopTransport?,
        user: @escaping @Sendable (ConnectionLoop) -> any ConnectionUser
    ) {
        _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK)
        Thread.detachNewThread {
            guard let transport = transport() else {
                Glibc.close(file)
                _ = remote.end()
                return
            }
            let loop = ConnectionLoop(file, transport, remote)
            loop.user = user(loop)
            loop.run()
        }
    }

    /// Connects to a port of 127.0.0.1, and starts the thread of the connection.
    ///
    /// - Parameter room: bytes of the kernel's buffer for what is received.
    static func connect(
        to port: Int, room: CInt, _ tls: TLSOffer?,
        user: @escaping @Sendable (ConnectionLoop) -> any ConnectionUser
    ) async throws -> Remote {
        let file = try await blocking { try PeerSocket(port: port, room: room).giveUp() }
        let remote = Remote()
        start(
            file, remote,
            transport: { tls.map { LoopTransport(file, $0) } ?? LoopTransport(file) }, user: user)
        return remote
    }

    private init(_ file: CInt, _ transport: LoopTransport, _ remote: Remote) {
        (self.file, self.transport, self.remote) = (file, transport, remote)
    }

    var isHTTP2: Bool { transport.isHTTP2 }

    // MARK: Rounds

    /// `POLLRDHUP`, which Glibc's module leaves out: the other end sends nothing more.
    private static let end: Int32 = 0x2000
    /// Nothing can be sent any more either.
    private static let gone = POLLHUP | POLLERR

    private func run() {
        if transport.isEstablished { user?.established() } else { exchange() }
        while isOpen {
            let isReading = isInputOpen && (reads || readsOnce || !transport.isEstablished)
            var events = isInputOpen ? Self.end : 0
            if isReading { events |= POLLIN }
            if transport.wantsToSend { events |= POLLOUT }
            var files = [
                pollfd(fd: file, events: Int16(events), revents: 0),
                pollfd(fd: remote.wake, events: Int16(POLLIN), revents: 0),
            ]
            poll(&files, 2, patience)
            if files[1].revents != 0 {
                var count: UInt64 = 0
                _ = read(remote.wake, &count, MemoryLayout<UInt64>.size)
            }
            for work in remote.take() { work(self) }
            runTimers()
            guard isOpen else { break }
            let seen = Int32(files[0].revents)
            // All that arrived is in the kernel's buffer, also for a client that doesn't read.
            if isReading || seen & (Self.end | Self.gone) != 0 { exchange() }
            if !isInputOpen, seen & Self.gone != 0 { drop() }
            flush()
        }
        for work in remote.end() { work(self) }
        // They refer to each other.
        defer { (user, timers, resumptions, whenSent) = (nil, [], [:], []) }
        for one in whenSent { one(false) }
        user?.closed()
    }

    private func exchange() {
        if !transport.isEstablished {
            guard transport.shakeHands() else { return drop() }
            guard transport.isEstablished else { return }
            user?.established()
        }
        while isOpen, isInputOpen, reads || readsOnce || isDone {
            switch transport.receive(64 << 10) {
            case .bytes(let bytes):
                readsOnce = false
                user?.received(bytes)
            case .wait: return
            case .end:
                isInputOpen = false
                user?.ended()
            case .failure: drop()
            }
        }
    }

    /// Whether the other end has closed, so that everything it sent is here.
    private var isDone: Bool {
        var one = pollfd(fd: file, events: Int16(Self.end), revents: 0)
        return poll(&one, 1, 0) > 0
    }

    private func flush() {
        guard isOpen else { return }
        guard transport.flush() else { return drop() }
        guard transport.isEstablished else { return isClosing ? drop() : () }
        guard transport.isDrained else { return }
        let sent = whenSent
        whenSent = []
        for one in sent { one(true) }
        if isClosing { closeNow() }
    }

    /// Milliseconds until the next timer; -1 without one.
    private var patience: Int32 {
        guard let next = timers.map(\.at).min() else { return -1 }
        let left = next - .now
        return left <= .zero ? 0 : Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
    }

    private func runTimers() {
        let now = ContinuousClock.now
        let due = timers.filter { $0.at <= now }
        timers.removeAll { $0.at <= now }
        for timer in due where isOpen { timer.then() }
    }

    private func closeNow() {
        transport.finish()
        drop()
    }

    private func drop() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(file)
    }

    // MARK: For the thread

    func send(_ bytes: some Sequence<UInt8>) { transport.queue(bytes) }

    /// Calls `then` with true once everything is sent, or with false if the connection is closed.
    func afterSending(_ then: @escaping (Bool) -> Void) {
        if isOpen { whenSent.append(then) } else { then(false) }
    }

    func after(_ delay: Duration, _ then: @escaping () -> Void) {
        timers.append((.now + delay, then))
    }

    func when(_ gate: Gate, _ then: @escaping () -> Void) {
        lastResumption += 1
        let number = lastResumption
        resumptions[number] = then
        gate.whenOpen { [remote] in
            remote.run { loop in
                if loop.isOpen { loop.resumptions.removeValue(forKey: number)?() }
            }
        }
    }

    /// Receives once, while it doesn't read.
    func readOnce() { readsOnce = true }

    /// Closes the sending half.
    func finish() {
        flush()
        guard isOpen else { return }
        transport.finish()
        shutdown(file, CInt(SHUT_WR))
    }

    /// Closes once everything is sent.
    func close() {
        isClosing = true
        flush()
    }

    /// Closes at once.
    func abort() {
        isClosing = true
        _ = transport.flush()
        if isOpen { closeNow() }
    }

    /// Closes at once and drops unsent bytes, so that the other end gets RST instead of FIN.
    func reset() {
        flush()
        guard isOpen else { return }
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(file, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        drop()
    }
}
