import CEpoll
import FoundationEssentials
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
        var precedence: Precedence
        /// Takes over a connection.
        var handOver: @Sendable (Handover) -> Void
        /// Connections that were handed over and come back.
        var takeReturned: @Sendable () -> [CInt]
        /// Closes so many of the connections that were handed over and drip or are idle, or as many
        /// as there are.
        var makeRoom: @Sendable (_ dripping: Int, _ idle: Int) -> Void
    }

    /// An open connection, found by its descriptor.
    private struct Connection {
        var isOpen = false
        var hasServed = false
        /// Milliseconds of the monotonic clock: when it was accepted, or last answered.
        var since = 0
    }

    private enum Fate {
        /// Until more arrives.
        case stays
        /// There may be more to read already.
        case hasMore
        case closes, isHandedOver
    }

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
    /// Those that have not sent a request yet, by when they were accepted.
    private var mute = AgeList()
    /// The others, by when they were answered last.
    private var idle = AgeList()
    private let input: UnsafeMutableRawBufferPointer
    private let events: UnsafeMutablePointer<epoll_event>
    private var batch = SendBatch()
    /// May have more to read.
    private var eager: [CInt] = []
    /// New in this round; their first requests mostly arrive while the others are answered.
    private var fresh: [CInt] = []
    private var now = 0
    /// Of this round.
    private var date = Date.distantPast
    private var answered = (hits: 0, stale: 0)
    private var isAccepting = false
    private var hasFailedToAccept = false
    private var precedence: Precedence

    /// `listener` and `wake` stay the caller's.
    init(
        listener: CInt, wake: CInt, _ hits: consuming HitLookup, _ surroundings: Surroundings
    ) throws(IOError) {
        epoll = vitrine_epoll()
        guard epoll >= 0 else { throw IOError(errnoCode: errno, reason: "epoll_create1") }
        self.surroundings = surroundings
        self.listener = listener
        self.wake = wake
        self.hits = hits
        precedence = surroundings.precedence
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

    /// Returns when `isStopping` and all connections are closed. They are closed, too, where it throws:
    /// the kernel tells nothing of them any more.
    mutating func run(until isStopping: () -> Bool) throws(IOError) {
        defer {
            for file in connections.indices where connections[file].isOpen { end(CInt(file)) }
        }
        guard vitrine_watch(epoll, EPOLL_CTL_ADD, wake, EPOLLIN.rawValue) == 0 else {
            throw IOError(errnoCode: errno, reason: "epoll_ctl")
        }
        now = Int(Self.nanoseconds() / 1_000_000)
        precedence.check(at: Self.nanoseconds())
        try startAccepting()
        var lastCheck = now
        while !isStopping() {
            let wait = isAccepting ? tick : min(tick, Self.pause)
            let (before, timeout) = (eager.count, eager.isEmpty ? CInt(wait) : 0)
            let count = vitrine_wait(epoll, events, CInt(Self.eventCount), timeout)
            if count < 0, errno != EINTR {
                throw IOError(errnoCode: errno, reason: "epoll_wait")
            }
            let start = Self.nanoseconds()
            now = Int(start / 1_000_000)
            precedence.check(at: start)
            date = hits.now()
            for index in 0..<max(0, Int(count)) {
                let file = vitrine_file(events + index)
                if file == listener {
                    accept()
                } else if file == wake {
                    takeReturned()
                } else {
                    readable(file, isEnd: vitrine_is_end(events + index))
                }
            }
            goOn(before)
            greet()
            note(since: start)
            if now - lastCheck >= wait {
                lastCheck = now
                try check()
            }
        }
    }

    // MARK: Connections

    /// Without memory for it, that is tried again; whatever else is wrong stays wrong.
    private mutating func startAccepting() throws(IOError) {
        // All threads watch one listening socket; only one of them is woken for a connection.
        let events = EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue
        isAccepting = vitrine_watch(epoll, EPOLL_CTL_ADD, listener, events) == 0
        let error = IOError(errnoCode: errno, reason: "epoll_ctl")
        defer { hasFailedToAccept = !isAccepting }
        guard !isAccepting else { return }
        guard [ENOMEM, ENOSPC].contains(error.errnoCode) else { throw error }
        if !hasFailedToAccept {
            surroundings.logger.error(
                "a thread takes no connections for now", metadata: ["error": "\(error)"])
        }
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
        hold(file, hasServed: false)
    }

    /// Their next requests may be there already.
    private mutating func takeReturned() {
        var count: UInt64 = 0
        _ = read(wake, &count, MemoryLayout<UInt64>.size)
        for file in surroundings.takeReturned() {
            surroundings.budget.take()
            hold(file, hasServed: true)
        }
    }

    private mutating func hold(_ file: CInt, hasServed: Bool) {
        surroundings.counters.open.add()
        while connections.count <= Int(file) { connections.append(Connection()) }
        connections[Int(file)] = Connection(isOpen: true, hasServed: hasServed, since: now)
        if hasServed { idle.append(Int(file)) } else { mute.append(Int(file)) }
        fresh.append(file)
    }

    /// Answers who has sent a request already: if that is the only one, nothing needs to be watched.
    private mutating func greet() {
        for file in fresh where connections[Int(file)].isOpen {
            let fate = serve(file)
            guard fate == .stays || fate == .hasMore else { continue }
            // Told once of what arrives: everything is read then, so that it need not be asked again.
            let events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
            if vitrine_watch(epoll, EPOLL_CTL_ADD, file, events) != 0, errno != EEXIST {
                end(file)
            }
        }
        fresh.removeAll(keepingCapacity: true)
    }

    private mutating func readable(_ file: CInt, isEnd: Bool) {
        // An event of a connection that ended in this round.
        guard Int(file) < connections.count, connections[Int(file)].isOpen else { return }
        if serve(file, isWatched: true, isEnd: isEnd) == .hasMore { eager.append(file) }
    }

    /// Those of the round before that had more than one read takes: after the others, so that nobody
    /// who sends without a pause keeps them waiting.
    private mutating func goOn(_ before: Int) {
        for file in eager.prefix(before) { readable(file, isEnd: false) }
        eager.removeFirst(before)
    }

    /// Leaves the budget as it is: a connection that is handed over is open still.
    private mutating func forget(_ file: CInt) {
        connections[Int(file)].isOpen = false
        mute.remove(Int(file))
        idle.remove(Int(file))
        surroundings.counters.open.add(-1)
    }

    private mutating func end(_ file: CInt) {
        forget(file)
        surroundings.budget.give()
        _ = vitrine_close(file)
    }

    /// Those that say nothing and those of event loops that drip, then idle ones, each kind by age.
    private mutating func makeRoom() {
        var surplus = surroundings.budget.surplus
        while surplus > 0, let file = mute.first, waited(file) > grace {
            cutOff(file)
            surplus -= 1
        }
        let dripping = min(max(0, surplus), surroundings.budget.dripping)
        surplus -= dripping
        while surplus > 0, let file = idle.first {
            end(CInt(file))
            surplus -= 1
        }
        if dripping > 0 || surplus > 0 { surroundings.makeRoom(dripping, max(0, surplus)) }
    }

    /// Whether a client waits to be accepted.
    private var isAwaited: Bool {
        var listening = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&listening, 1, 0) > 0
    }

    private func waited(_ file: Int) -> Int { now - connections[file].since }

    private var grace: Int { Int(surroundings.limits.dripGrace.nanoseconds / 1_000_000) }

    private mutating func check() throws(IOError) {
        let limits = surroundings.limits
        let keepAlive = Int(limits.keepAlive.nanoseconds / 1_000_000)
        let head = Int(limits.head.nanoseconds / 1_000_000)
        logsRequests = surroundings.access.showsHits(surroundings.logger)
        while let file = mute.first, waited(file) > head { cutOff(file) }
        while let file = idle.first, waited(file) > keepAlive { cutOff(file) }
        if !isAccepting {
            if surroundings.budget.isFull, isAwaited { makeRoom() }
            if !surroundings.budget.isFull { try startAccepting() }
        }
        hits.sweep()
    }

    private mutating func cutOff(_ file: Int) {
        surroundings.counters.timedOut.add()
        end(CInt(file))
    }

    // MARK: Answers

    /// `isEnd`: it is known that nothing comes after what has arrived.
    private mutating func serve(_ file: CInt, isWatched: Bool = false, isEnd: Bool = false)
        -> Fate
    {
        let count = vitrine_receive(file, input.baseAddress, input.count)
        if count < 0, errno == EAGAIN { return .stays }
        if count < 0, errno == EINTR { return .hasMore }
        guard count > 0 else {
            end(file)
            return .closes
        }
        var taken = 0
        while true {
            let answered = answer(
                UnsafeRawBufferPointer(rebasing: input[taken..<count]), from: file)
            taken += answered.bytes
            let unsent = batch.send(file, isLast: answered.closes)
            hits.settle()
            guard let unsent, !(unsent.isEmpty && answered.closes) else {
                end(file)
                return .closes
            }
            if answered.bytes > 0 { noteServed(Int(file)) }
            if unsent.isEmpty {
                if taken == count { return isEnd || count == input.count ? .hasMore : .stays }
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

    /// Once a millisecond at most, as the clock is no finer.
    private mutating func noteServed(_ file: Int) {
        guard !connections[file].hasServed || connections[file].since != now else { return }
        mute.remove(file)
        idle.append(file)
        connections[file].hasServed = true
        connections[file].since = now
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
    private mutating func answer(_ bytes: UnsafeRawBufferPointer, from file: CInt) -> Answered {
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
                let answer = hits.answer(request, rest, at: date),
                batch.add(answer, head: hits.head(answer))
            else { break }
            surroundings.counters.count(answer)
            if answer.isStale { self.answered.stale += 1 } else { self.answered.hits += 1 }
            if logsRequests {
                RequestLog.write(
                    surroundings.logger, request, rest, answer, client: Self.peer(file))
            }
            answered.bytes += request.framing.headLength
            answered.closes = request.framing.closes
            if answered.closes { break }
        }
        return answered
    }

    /// The address of the other end, for the log.
    private static func peer(_ file: CInt) -> String? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(file, $0, &size) == 0
            }
        }
        guard isKnown else { return nil }
        return withUnsafePointer(to: &address) { storage in
            let address = UnsafeRawPointer(storage)
            return switch CInt(storage.pointee.ss_family) {
            case AF_INET: SocketAddress(address.load(as: sockaddr_in.self)).ipAddress
            case AF_INET6: SocketAddress(address.load(as: sockaddr_in6.self)).ipAddress
            default: nil
            }
        }
    }

    /// All answers of a round count as long as the round: so the wait behind others is in it, and one
    /// look at the clock does for all.
    private mutating func note(since start: Int64) {
        guard answered.hits + answered.stale > 0 else { return }
        let seconds = Double(Self.nanoseconds() - start) / 1e9
        surroundings.counters.hitSeconds.record(seconds, times: answered.hits)
        surroundings.counters.staleSeconds.record(seconds, times: answered.stale)
        answered = (0, 0)
    }

    private static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
