import CEpoll
import Glibc
import Logging
import NIOCore

/// The work of a ``HitThread``. Lives on that thread alone.
struct HitLoop: ~Copyable {
    /// What its surroundings do for it.
    struct Surroundings: Sendable {
        var limits: ConnectionLimits
        /// Whether connections begin with a TLS handshake, and so are none of this thread's.
        var isEncrypted: Bool
        var budget: ConnectionBudget
        var counters: LoopCounters
        var logger: Logger
        var access: AccessLog
        /// Takes over a connection.
        var handOver: @Sendable (Handover) -> Void
        /// Closes so many idle connections that were handed over, or as many as there are.
        var makeRoom: @Sendable (_ count: Int) -> Void
    }

    /// An open connection, found by its descriptor.
    private struct Connection {
        var isOpen = false
        var hasServed = false
        /// Milliseconds of the monotonic clock: when it was accepted, or last answered.
        var since = 0
    }

    private enum Fate { case stays, closes, isHandedOver }

    /// One read: a request is seldom more than 1 KB, a row of them seldom more than this.
    private static let readSize = 65_536
    private static let eventCount = 256
    /// While no more connections are taken, how often that is thought over.
    private static let pause = 50

    private let surroundings: Surroundings
    private let epoll: CInt
    private let listener: CInt
    private let wake: CInt
    private let tick: Int
    private var logsRequests: Bool
    private var hits: HitLookup
    private var connections: [Connection] = []
    private let input: UnsafeMutableRawBufferPointer
    private let events: UnsafeMutablePointer<epoll_event>
    private var batch = SendBatch()
    /// Accepted in this round; their first requests mostly arrive while the others are answered.
    private var fresh: [CInt] = []
    private var now = 0
    private var isAccepting = false

    /// `listener` and `wake` stay the caller's.
    init(
        listener: CInt, wake: CInt, _ hits: HitLookup, _ surroundings: Surroundings
    ) throws(IOError) {
        epoll = vitrine_epoll()
        guard epoll >= 0 else { throw IOError(errnoCode: errno, reason: "epoll_create1") }
        self.surroundings = surroundings
        self.listener = listener
        self.wake = wake
        self.hits = hits
        tick = Int(surroundings.limits.tick.nanoseconds / 1_000_000)
        logsRequests = surroundings.access.showsHits(surroundings.logger)
        input = .allocate(byteCount: Self.readSize, alignment: 64)
        events = .allocate(capacity: Self.eventCount)
    }

    deinit {
        close(epoll)
        input.deallocate()
        events.deallocate()
    }

    /// Returns when `isStopping` and all connections are closed.
    mutating func run(until isStopping: () -> Bool) {
        guard vitrine_watch(epoll, EPOLL_CTL_ADD, wake, EPOLLIN.rawValue) == 0 else { return }
        now = Self.milliseconds()
        startAccepting()
        var lastCheck = now
        while !isStopping() {
            let wait = isAccepting ? tick : min(tick, Self.pause)
            let count = epoll_wait(epoll, events, CInt(Self.eventCount), CInt(wait))
            now = Self.milliseconds()
            for index in 0..<max(0, Int(count)) {
                let file = vitrine_file(events + index)
                if file == listener { accept() } else if file != wake { readable(file) }
            }
            greet()
            if now - lastCheck >= wait {
                lastCheck = now
                check()
            }
        }
        for file in connections.indices where connections[file].isOpen { end(CInt(file)) }
    }

    // MARK: Connections

    private mutating func startAccepting() {
        // All threads watch one listening socket; only one of them is woken for a connection.
        let events = EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue
        isAccepting = vitrine_watch(epoll, EPOLL_CTL_ADD, listener, events) == 0
    }

    /// Who comes now waits in the kernel's queue.
    private mutating func stopAccepting() {
        _ = vitrine_watch(epoll, EPOLL_CTL_DEL, listener, 0)
        isAccepting = false
    }

    private mutating func accept() {
        // A batch at a time, so that those who are connected are not kept waiting.
        for _ in 0..<16 {
            if surroundings.budget.isFull { return stopAccepting() }
            let file = vitrine_accept(listener)
            guard file >= 0 else {
                // The caller can go away before it is accepted; without descriptors, wait.
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { stopAccepting() }
                return
            }
            open(file)
        }
    }

    private mutating func open(_ file: CInt) {
        surroundings.budget.take()
        surroundings.counters.accepted.add()
        if surroundings.budget.surplus > 0 { makeRoom() }
        if surroundings.isEncrypted { return surroundings.handOver(Handover(socket: file)) }
        surroundings.counters.open.add()
        while connections.count <= Int(file) { connections.append(Connection()) }
        connections[Int(file)] = Connection(isOpen: true, hasServed: false, since: now)
        fresh.append(file)
    }

    /// Answers who has sent a request already: if that is the only one, nothing needs to be watched.
    private mutating func greet() {
        for file in fresh where connections[Int(file)].isOpen && serve(file) == .stays {
            let events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
            if vitrine_watch(epoll, EPOLL_CTL_ADD, file, events) != 0, errno != EEXIST {
                end(file)
            }
        }
        fresh.removeAll(keepingCapacity: true)
    }

    private mutating func readable(_ file: CInt) {
        // An event of a connection that ended in this round.
        guard Int(file) < connections.count, connections[Int(file)].isOpen else { return }
        _ = serve(file, isWatched: true)
    }

    /// Leaves the budget as it is: a connection that is handed over is open still.
    private mutating func forget(_ file: CInt) {
        connections[Int(file)].isOpen = false
        surroundings.counters.open.add(-1)
    }

    private mutating func end(_ file: CInt) {
        forget(file)
        surroundings.budget.give()
        close(file)
    }

    /// Idle ones that were used least recently, and as many of those that were handed over.
    private mutating func makeRoom() {
        let surplus = surroundings.budget.surplus
        guard surplus > 0 else { return }
        let idle = connections.indices
            .filter { connections[$0].isOpen && connections[$0].hasServed }
            .sorted { connections[$0].since < connections[$1].since }
        for file in idle.prefix(surplus) { end(CInt(file)) }
        let left = surplus - idle.count
        if left > 0 { surroundings.makeRoom(left) }
    }

    private mutating func check() {
        let limits = surroundings.limits
        let keepAlive = Int(limits.keepAlive.nanoseconds / 1_000_000)
        let head = Int(limits.head.nanoseconds / 1_000_000)
        logsRequests = surroundings.access.showsHits(surroundings.logger)
        for file in connections.indices where connections[file].isOpen {
            let waited = now - connections[file].since
            if waited > (connections[file].hasServed ? keepAlive : head) {
                surroundings.counters.timedOut.add()
                end(CInt(file))
            }
        }
        if !isAccepting {
            if surroundings.budget.isFull { makeRoom() }
            if !surroundings.budget.isFull { startAccepting() }
        }
        hits.sweep()
    }

    // MARK: Answers

    private mutating func serve(_ file: CInt, isWatched: Bool = false) -> Fate {
        let count = recv(file, input.baseAddress, input.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return .stays }
        guard count > 0 else {
            end(file)
            return .closes
        }
        var taken = 0
        while true {
            let answered = answer(UnsafeRawBufferPointer(rebasing: input[taken..<count]))
            taken += answered.bytes
            guard let unsent = batch.send(file), !(unsent.isEmpty && answered.closes) else {
                end(file)
                return .closes
            }
            if answered.bytes > 0 {
                connections[Int(file)].hasServed = true
                connections[Int(file)].since = now
            }
            if unsent.isEmpty {
                if taken == count { return .stays }
                if answered.mayGoOn { continue }
            }
            if isWatched { _ = vitrine_watch(epoll, EPOLL_CTL_DEL, file, 0) }
            forget(file)
            surroundings.handOver(
                Handover(
                    socket: file, inbound: answered.closes ? [] : Array(input[taken..<count]),
                    unsent: unsent, ends: answered.closes,
                    hasServed: connections[Int(file)].hasServed))
            return .isHandedOver
        }
    }

    private struct Answered {
        /// What their requests take.
        var bytes = 0
        /// Whether the connection ends with the last of them.
        var closes = false
        /// Whether the batch was full, and there may be more of the kind.
        var mayGoOn = false
    }

    /// Collects the answers to the requests at the start of `bytes`.
    private mutating func answer(_ bytes: UnsafeRawBufferPointer) -> Answered {
        let limits = surroundings.limits
        var answered = Answered()
        while answered.bytes < bytes.count {
            if batch.isFull {
                answered.mayGoOn = true
                break
            }
            let rest = UnsafeRawBufferPointer(rebasing: bytes[answered.bytes...])
            guard case .plain(let request) = RequestScan(rest),
                request.framing.headLength <= limits.maxHeadBytes,
                request.target.count <= limits.maxTargetBytes,
                let answer = hits.answer(request, rest),
                batch.add(answer, head: hits.head(answer))
            else { break }
            surroundings.counters.count(answer)
            if logsRequests { RequestLog.write(surroundings.logger, request, rest, answer) }
            answered.bytes += request.framing.headLength
            answered.closes = request.framing.closes
            if answered.closes { break }
        }
        return answered
    }

    private static func milliseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
