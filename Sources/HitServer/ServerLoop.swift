import CLinux
import Glibc

/// The work of a ``HitThread``. Belongs to that thread.
package struct HitLoop: ~Copyable {
    /// What becomes of a connection after it was served.
    private enum Disposition {
        /// It waits for more bytes.
        case stays
        /// It may have more to read already.
        case hasMore
        case closes, isHandedOver
        /// Its next response waits for the disk, or is being sent from a file.
        case waits
    }

    /// A connection that is new, or that has waited with requests that were read.
    private struct Later {
        var file: CInt
        var inbound: [UInt8]
        var isWatched = false
        /// What its first request waited for.
        var wait: ParkedConnections.Wait?
    }

    /// How long a thread that is stopped waits for parked connections, in milliseconds.
    private static let maxStopping = 5_000

    /// Bytes of one read. A request seldom has more than 1 KB, and a pipeline seldom more than this.
    private static let readSize = ReturnedConnection.maxBytes
    /// Milliseconds between two attempts to accept connections again.
    private static let pause = 50

    private let context: HitContext
    private let takeReturned: () -> [ReturnedConnection]
    private let reads: ParkedReads
    /// Tells reads of connections apart that had the same descriptor.
    private var lastRead = 0
    private var parked = ParkedConnections()
    private var sends = FileSends()
    /// When the thread was stopped while connections waited for the disk.
    private var stoppingSince: Int?
    private let queue: EventQueue
    private let listener: CInt
    private let wake: CInt
    private var answers: HitAnswers
    private var connections = OpenConnections()
    private let input: UnsafeMutableRawBufferPointer
    /// Connections with unread bytes from the last round, served last for fairness.
    private var eager: [CInt] = []
    /// Connections that are new in this round. Their first requests mostly arrive while the others
    /// are answered.
    private var new: [Later] = []
    /// Milliseconds of the monotonic clock.
    private var now = 0
    private var isAccepting = false
    private var accepting = AcceptBatch()
    private var hasFailedToAccept = false
    /// Those of the budget that this thread has closed idle connections for.
    private var shortages = 0
    private var precedence: Precedence

    /// - Parameters:
    ///   - listener: a listening socket, which stays the caller's.
    ///   - wake: an eventfd that wakes the loop, which stays the caller's.
    ///   - reads: collects the reads that have ended, and wakes the loop.
    ///   - takeReturned: returns connections that come back from the general server.
    init(
        listener: CInt, wake: CInt, _ hits: consuming HitLookup, _ context: HitContext,
        _ reads: ParkedReads = ParkedReads {},
        takeReturned: @escaping () -> [ReturnedConnection]
    ) throws(SystemError) {
        queue = try EventQueue()
        self.context = context
        self.takeReturned = takeReturned
        self.reads = reads
        self.listener = listener
        self.wake = wake
        answers = HitAnswers(hits, context)
        precedence = context.precedence
        input = .allocate(byteCount: Self.readSize, alignment: 64)
    }

    deinit { input.deallocate() }

    /// How a loop that is stopped ends.
    enum End: Int {
        case afterResponses = 1
        case atOnce = 2
    }

    /// Serves until it is told to stop, finishes the responses under way, then closes all connections.
    /// They are also closed if it throws, because the kernel no longer reports their events.
    mutating func run(until end: () -> End?) throws(SystemError) {
        defer {
            for file in connections.all { self.end(file) }
        }
        try queue.watch(wake)
        now = Int(RoundLatency.now() / 1_000_000)
        Precedence.runSoon()
        precedence.check(at: RoundLatency.now())
        try startAccepting()
        var lastCheck = now
        while true {
            if let end = end(), end == .atOnce || !continuesStopping() { break }
            let tick = context.limits.tick
            let wait = isAccepting ? tick : min(tick, Self.pause)
            let (before, timeout) = (eager.count, eager.isEmpty ? CInt(wait) : 0)
            let count = try queue.wait(timeout)
            let start = answers.begin()
            now = Int(start / 1_000_000)
            precedence.check(at: start)
            for index in 0..<count {
                let (file, isEnd) = queue[index]
                if file == listener {
                    accept()
                } else if file == wake {
                    registerReturned()
                    resumeReads()
                } else {
                    readable(file, isEnd: isEnd)
                }
            }
            continueEager(before)
            serveNew()
            answers.end()
            if now - lastCheck >= wait {
                lastCheck = now
                try check()
            }
        }
    }

    /// Closes the connections without a response under way. Returns whether there are others, for
    /// which a stop waits.
    private mutating func continuesStopping() -> Bool {
        if isAccepting { stopAccepting() }
        let since = stoppingSince ?? now
        stoppingSince = since
        let waits = now - since <= Self.maxStopping
        for file in connections.all
        where !sends.contains(file) && !(waits && parked.contains(file)) {
            end(file)
        }
        return !sends.isEmpty || waits && !parked.isEmpty
    }

    // MARK: Connections

    /// Starts to accept. A shortage of memory is retried; other errors are permanent.
    private mutating func startAccepting() throws(SystemError) {
        do throws(SystemError) {
            try queue.watch(listener, isShared: true)
            (isAccepting, hasFailedToAccept) = (true, false)
        } catch {
            guard [ENOMEM, ENOSPC].contains(error.code) else { throw error }
            if !hasFailedToAccept { context.reports.acceptFailed(error) }
            hasFailedToAccept = true
        }
    }

    /// Leaves new connections in the kernel's queue.
    private mutating func stopAccepting() {
        queue.unwatch(listener)
        isAccepting = false
    }

    private mutating func accept() {
        for _ in 0..<accepting.count {
            guard context.budget.take() else { return stopAccepting() }
            let file = vitrine_accept(listener)
            guard file >= 0 else {
                let code = errno
                context.budget.give()
                // A client can go away before it is accepted. Without descriptors, pause.
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) { stopAccepting() }
                if [EMFILE, ENFILE].contains(code) {
                    context.budget.giveSpare()
                    context.budget.noteShortage()
                }
                return accepting.reset()
            }
            open(file)
        }
        accepting.grow()
    }

    private mutating func open(_ file: CInt) {
        context.budget.keepSpare()
        context.counters.accepted.add()
        if context.budget.surplus > 0 { closeIdle() }
        if context.isEncrypted { return context.handOver(Handover(socket: file)) }
        register(file, hasServed: false)
    }

    /// Adopts connections that come back. Their next requests may have arrived already.
    private mutating func registerReturned() {
        var count: UInt64 = 0
        _ = read(wake, &count, MemoryLayout<UInt64>.size)
        for connection in takeReturned() {
            context.budget.retake()
            register(connection.socket, hasServed: true, connection.inbound)
        }
    }

    private mutating func register(_ file: CInt, hasServed: Bool, _ inbound: [UInt8] = []) {
        context.counters.open.add()
        connections.add(file, hasServed: hasServed, at: now)
        new.append(Later(file: file, inbound: inbound))
    }

    /// Answers new connections that have sent a request already. A connection whose only request
    /// that is never needs to be watched.
    private mutating func serveNew() {
        for later in new where connections.contains(later.file) { serve(later) }
        new.removeAll(keepingCapacity: true)
    }

    /// Answers the requests that were read already, then those that have arrived, then waits for more.
    private mutating func serve(_ later: Later) {
        let (file, isWatched) = (later.file, later.isWatched)
        if !later.inbound.isEmpty {
            input.copyBytes(from: later.inbound.prefix(input.count))
            let disposition = process(
                later.inbound.count, of: file, isWatched: isWatched, after: later.wait)
            guard disposition == .stays || disposition == .hasMore else { return }
        }
        let disposition = serve(file, isWatched: isWatched)
        guard disposition == .stays || disposition == .hasMore else { return }
        watch(file, for: .reading)
    }

    private mutating func watch(_ file: CInt, for interest: EventQueue.Interest) {
        if !queue.watch(file, for: interest) { end(file) }
    }

    /// Continues the connections whose files have been read. At once, because bytes that arrive later
    /// must not be read before the requests that have waited.
    private mutating func resumeReads() {
        for (file, number) in reads.take() {
            if let one = parked.resume(file, number) {
                connections.resume(file, at: now)
                serve(Later(file: file, inbound: one.inbound, isWatched: true, wait: one.wait))
            } else if sends.resume(file, number) != nil {
                continueSending(file)
            }
        }
    }

    private mutating func readable(_ file: CInt, isEnd: Bool) {
        // The connection may have closed earlier in this round. One that waits for the disk is read
        // afterwards.
        guard connections.contains(file), !parked.contains(file) else { return }
        if sends.contains(file) { return continueSending(file) }
        if serve(file, isWatched: true, isEnd: isEnd) == .hasMore { eager.append(file) }
    }

    /// Serves connections with unread bytes from the last round. They come after the others, so
    /// that a client that sends without a pause doesn't keep the others waiting.
    private mutating func continueEager(_ before: Int) {
        for file in eager.prefix(before) {
            sends[file]?.isEager = false
            readable(file, isEnd: false)
        }
        eager.removeFirst(before)
    }

    /// Sends more of a file, then answers the requests that follow.
    private mutating func continueSending(_ file: CInt) {
        guard let send = sends[file], send.read == nil else { return }
        switch send.advance(file) {
        case .full: break
        case .more:
            if !send.isEager { eager.append(file) }
            send.isEager = true
        case .waits: fetch(file, send)
        case .broken: end(file)
        case .whole:
            sends.remove(file)
            if send.closes || stoppingSince != nil { return end(file) }
            connections.resume(file, at: now)
            serve(Later(file: file, inbound: send.inbound, isWatched: true))
        }
    }

    private mutating func fetch(_ file: CInt, _ send: FileSend) {
        lastRead += 1
        send.read = lastRead
        send.fetch { [reads, lastRead] in reads.add(file, lastRead) }
    }

    /// Leaves the budget unchanged, because a connection that is handed over is still open.
    private mutating func forget(_ file: CInt) {
        connections.remove(file)
        sends.remove(file)
        context.counters.open.add(-1)
    }

    private mutating func end(_ file: CInt) {
        forget(file)
        context.budget.give()
        _ = vitrine_close(file)
    }

    /// Closes connections until the reserve is free: first mute ones and dripping ones of event
    /// loops, then idle ones, each kind by age.
    private mutating func closeIdle(atLeast least: Int = 0) {
        var surplus = max(least, context.budget.surplus)
        while surplus > 0, let file = connections.oldestMute, waited(file) > grace {
            cutOff(file)
            surplus -= 1
        }
        let dripping = min(max(0, surplus), context.budget.dripping)
        surplus -= dripping
        while surplus > 0, let file = connections.oldestIdle {
            end(file)
            surplus -= 1
        }
        if dripping > 0 || surplus > 0 { context.closeIdle(dripping, max(0, surplus)) }
    }

    /// Whether a client waits to be accepted.
    private var isAwaited: Bool {
        var listening = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&listening, 1, 0) > 0
    }

    private func waited(_ file: CInt) -> Int { now - connections.since(file) }

    private var grace: Int { context.limits.dripGrace }

    private mutating func check() throws(SystemError) {
        let limits = context.limits
        while let file = connections.oldestMute, waited(file) > limits.head { cutOff(file) }
        while let file = connections.oldestIdle, waited(file) > limits.keepAlive { cutOff(file) }
        for file in sends.stuck(at: now, for: limits.send) { cutOff(file) }
        let waits = !isAccepting && stoppingSince == nil
        if waits, context.budget.isFull, isAwaited { context.budget.noteShortage() }
        if shortages != context.budget.shortages {
            shortages = context.budget.shortages
            // Below the limit something else has taken descriptors that were meant for connections.
            closeIdle(atLeast: context.budget.isFull ? 0 : 1)
        }
        if waits, !context.budget.isFull { try startAccepting() }
        answers.check()
    }

    private mutating func cutOff(_ file: CInt) {
        context.counters.timedOut.add()
        end(file)
    }

    // MARK: Responses

    /// Reads once and answers.
    ///
    /// - Parameter isEnd: whether the client is known to send nothing more.
    private mutating func serve(_ file: CInt, isWatched: Bool = false, isEnd: Bool = false)
        -> Disposition
    {
        let count = vitrine_receive(file, input.baseAddress, input.count)
        if count < 0, errno == EAGAIN { return .stays }
        if count < 0, errno == EINTR { return .hasMore }
        guard count > 0 else {
            end(file)
            return .closes
        }
        return process(count, of: file, isWatched: isWatched, isEnd: isEnd)
    }

    /// Answers the requests in the first `count` bytes of the input. Hands the connection over if
    /// it needs more than that.
    private mutating func process(
        _ count: Int, of file: CInt, isWatched: Bool = false, isEnd: Bool = false,
        after wait: ParkedConnections.Wait? = nil
    ) -> Disposition {
        var taken = 0
        var wait = wait
        while true {
            let answered = answers.answer(
                UnsafeRawBufferPointer(rebasing: input[taken..<count]), from: file, after: wait)
            wait = nil
            taken += answered.bytes
            let unsent = answers.send(file, more: answered.closes || answered.part != nil)
            guard let unsent, !(unsent.isEmpty && answered.closes && answered.part == nil) else {
                end(file)
                return .closes
            }
            if answered.bytes > 0 { connections.recordServed(file, at: now) }
            if let part = answered.part {
                let send = FileSend(part, after: unsent, closes: answered.closes, at: now)
                if let end = begin(send, file, input[taken..<count]) { return end }
                if taken == count { return isEnd || count == input.count ? .hasMore : .stays }
                continue
            }
            if unsent.isEmpty {
                if taken == count { return isEnd || count == input.count ? .hasMore : .stays }
                if answered.isBatchFull { continue }
                if let read = answered.read, !parked.isFull {
                    park(file, read, Array(input[taken..<count]))
                    return .waits
                }
            }
            if stoppingSince != nil, unsent.isEmpty {
                end(file)
                return .closes
            }
            if isWatched { queue.unwatch(file) }
            let hasServed = connections.hasServed(file)
            forget(file)
            context.handOver(
                Handover(
                    socket: file, inbound: answered.closes ? [] : Array(input[taken..<count]),
                    unsent: unsent, ends: answered.closes,
                    hasServed: hasServed))
            return .isHandedOver
        }
    }

    private mutating func park(_ file: CInt, _ read: any HitRead, _ inbound: [UInt8]) {
        connections.pause(file)
        lastRead += 1
        parked.park(file, lastRead, .init(read: read, since: RoundLatency.now()), inbound)
        read.start { [reads, lastRead] in reads.add(file, lastRead) }
    }

    /// Sends the first bytes of a file. Returns nil if that was all of it and the connection stays.
    private mutating func begin(
        _ send: FileSend, _ file: CInt, _ inbound: Slice<UnsafeMutableRawBufferPointer>
    ) -> Disposition? {
        let step = send.advance(file)
        switch step {
        case .whole where !send.closes: return nil
        case .whole, .broken:
            end(file)
            return .closes
        case .full, .more, .waits:
            connections.pause(file)
            sends.add(file, send, Array(inbound)[...])
            watch(file, for: .sending)
            if step == .waits { fetch(file, send) }
            if step == .more {
                send.isEager = true
                eager.append(file)
            }
            return .waits
        }
    }
}
