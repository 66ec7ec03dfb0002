import CLinux
import Glibc

/// The work of a ``ServerThread``: one round after the other. Belongs to that thread.
package struct ServerLoop: ~Copyable {
    /// Bytes of one read. A request seldom has more than 1 KB, and a pipeline seldom more than
    /// this.
    static let readSize = 65_536
    /// How long a thread that is stopped waits for the disk, in milliseconds.
    static let maxStopping = 5_000
    /// Milliseconds between two attempts to accept connections again.
    private static let pause = 50

    let context: ServerContext
    let listeners: [ServerListener]
    let mailbox: Mailbox
    private let wake: CInt
    let queue: EventQueue
    var answers: HitAnswers
    var connections = OpenConnections()
    /// The connections that have more than their socket.
    var busy: [CInt: Connection] = [:]
    /// The connections that speak HTTP/2.
    var modern: [CInt: HTTP2Connection] = [:]
    /// Where they put frames.
    let output = HTTP2Output()
    /// Of each listener, with its newest certificate.
    var contexts: [TLSContext?]
    /// Steps of handshakes in this round.
    var handshakes = 0
    /// Bytes that connections hold, and how many of them wait for the disk.
    var heldBytes = 0
    var parkedCount = 0
    let input: UnsafeMutableRawBufferPointer
    /// Connections with unread bytes from the last round, served last for fairness.
    var eager: [CInt] = []
    /// Connections that are new in this round. Their first requests mostly arrive while the others
    /// are answered.
    var new: [CInt] = []
    /// Tells requests and reads from earlier ones.
    private var lastNumber = 0
    /// Milliseconds of the clock by which timeouts are measured.
    var now = 0
    /// When the thread was stopped while responses were under way.
    var stoppingSince: Int?
    var isAccepting = false
    var accepting = AcceptBatch()
    var hasFailedToAccept = false
    /// Those of the budget that this thread has closed idle connections for.
    var shortages = 0
    /// Connections that can be closed for others, the oldest last. Kept for one tick.
    var dripping: [CInt]?

    /// - Parameters:
    ///   - listeners: their sockets stay the caller's.
    ///   - wake: an eventfd that wakes the loop, which stays the caller's.
    ///   - mailbox: wakes the loop.
    init(
        _ listeners: [ServerListener], wake: CInt, _ hits: consuming HitLookup,
        _ context: ServerContext, _ mailbox: Mailbox = Mailbox {}
    ) throws(SystemError) {
        queue = try EventQueue()
        self.context = context
        self.listeners = listeners
        contexts = listeners.map { _ in nil }
        self.mailbox = mailbox
        self.wake = wake
        answers = HitAnswers(hits, context)
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
    ///
    /// - Parameter onStop: called once it is stopped and accepts nothing more.
    mutating func run(
        until end: () -> End?, onStop: () -> Void = {}
    ) throws(SystemError) {
        defer {
            for file in connections.all { self.end(file) }
            assert(busy.isEmpty && modern.isEmpty, "a connection that has ended is kept")
            assert(heldBytes == 0 && parkedCount == 0, "a connection is gone and counted")
            mailbox.close()
        }
        try queue.watch(wake)
        var time = Int(RoundLatency.now() / 1_000_000)
        now = context.uptime.map { Int($0() / 1_000_000) } ?? time
        try startAccepting()
        var lastCheck = time
        while true {
            if let end = end() {
                let isFirst = stoppingSince == nil
                let continues = continuesStopping()
                if isFirst { onStop() }
                if end == .atOnce || !continues { break }
            }
            let tick = context.limits.tick
            let wait = isAccepting ? tick : min(tick, Self.pause)
            let (before, timeout) = (eager.count, eager.isEmpty ? CInt(wait) : 0)
            let count = try queue.wait(timeout)
            time = Int(answers.begin() / 1_000_000)
            handshakes = 0
            now = context.uptime.map { Int($0() / 1_000_000) } ?? time
            for index in 0..<count {
                let event = queue[index]
                if event.file == wake {
                    takeLetters()
                } else if let listener = listeners.firstIndex(where: { $0.descriptor == event.file }
                ) {
                    accept(listener)
                } else {
                    handle(event)
                }
            }
            continueEager(before)
            serveNew()
            answers.end()
            if time - lastCheck >= wait {
                lastCheck = time
                try check()
            }
        }
    }

    private mutating func takeLetters() {
        var count: UInt64 = 0
        _ = read(wake, &count, MemoryLayout<UInt64>.size)
        for letter in mailbox.take() { receive(letter) }
    }

    /// Returns a number that no other request or read of the loop has.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Events

    private mutating func handle(_ event: EventQueue.Event) {
        // The connection may have closed before.
        guard connections.contains(event.file), connections.tag(event.file) == event.tag else {
            return
        }
        if let connection = modern[event.file] {
            if event.isGone { end(event.file) } else { advance(connection, isEnd: event.isEnd) }
        } else if let connection = busy[event.file] {
            if event.isGone { end(event.file) } else { advance(connection, event) }
        } else {
            serve(event.file, isEnd: event.isEnd)
        }
    }

    /// Serves connections with unread bytes from the last round. They come after the others, so
    /// that a client that sends without a pause doesn't keep the others waiting.
    private mutating func continueEager(_ before: Int) {
        for file in eager.prefix(before) {
            busy[file]?.output.isEager = false
            let tag = connections.tag(file)
            handle(
                EventQueue.Event(
                    file: file, tag: tag, isReadable: false, isEnd: false, isGone: false))
        }
        eager.removeFirst(before)
    }

    /// Answers new connections that have sent a request already. One that closes after it never needs
    /// to be watched.
    private mutating func serveNew() {
        for file in new where connections.contains(file) { serve(file) }
        new.removeAll(keepingCapacity: true)
    }

    /// Continues a connection after an event.
    private mutating func advance(_ connection: Connection, _ event: EventQueue.Event) {
        if event.isReadable { connection.hasUnread = true }
        if !connection.output.isEmpty {
            flush(connection)
            guard busy[connection.file] === connection else { return }
        }
        switch connection.state {
        case .open:
            if connection.output.isEmpty { serve(connection.file, isEnd: event.isEnd) }
        case .answering: readBody(connection, isEnd: event.isEnd)
        case .dropping, .lingering: readBody(connection)
        // Read when the response is sent.
        case .parked, .ending: break
        }
    }

    // MARK: Bookkeeping

    /// Returns the object of an open connection, which is neither mute nor idle from now on.
    mutating func connection(_ file: CInt, _ output: SendQueue? = nil) -> Connection {
        if let known = busy[file] {
            if let output { known.output = output }
            return known
        }
        let connection = Connection(file, connections.number(file), output, at: now)
        busy[file] = connection
        connections.pause(file)
        return connection
    }

    /// Makes a connection wait for its next request.
    mutating func release(_ connection: Connection) {
        busy[connection.file] = nil
        connections.resume(connection.file, at: now)
    }

    func transport(_ connection: Connection) -> Transport { connections.transport(connection.file) }

    mutating func watch(_ file: CInt, for interest: EventQueue.Interest) {
        guard connections.interest(file) != interest else { return }
        connections.setInterest(file, interest)
        // A session may have to send to receive, and to receive to send.
        let events = connections.transport(file).session == nil ? interest : .both
        if !queue.watch(file, for: events, tag: connections.tag(file)) { end(file) }
    }

    mutating func end(_ file: CInt) {
        if let connection = busy.removeValue(forKey: file) {
            setState(connection, .ending(lingers: false))
            heldBytes -= connection.inbound.count
            connection.inbound = []
        }
        modern.removeValue(forKey: file)?.end()
        let transport = connections.transport(file)
        if let fault = transport.session?.fault { context.reports.tlsFailed(fault) }
        connections.remove(file)
        context.counters.open.add(-1)
        context.budget.give()
        transport.close()
    }

    mutating func cutOff(_ file: CInt) {
        context.counters.timedOut.add()
        end(file)
    }

    /// Closes a connection that waits for its next request.
    mutating func endIdle(_ file: CInt) {
        if let connection = modern[file] { return quiesce(connection) }
        connections.transport(file).endSession()
        end(file)
    }

    /// Ends what the old state has under way.
    mutating func setState(_ connection: Connection, _ state: Connection.State) {
        switch connection.state {
        case .parked: parkedCount -= 1
        case .answering(let exchange): exchange.drop()
        case .open, .dropping, .ending, .lingering: break
        }
        if case .parked = state { parkedCount += 1 }
        connection.state = state
        connection.since = now
    }

    /// Keeps bytes that were read and can't be dealt with yet.
    mutating func keep(_ bytes: UnsafeRawBufferPointer, _ connection: Connection) {
        heldBytes += bytes.count - connection.inbound.count
        connection.inbound = Array(bytes)
    }

    /// Returns the kept bytes, which the caller deals with.
    mutating func takeKept(_ connection: Connection) -> [UInt8] {
        heldBytes -= connection.inbound.count
        defer { connection.inbound = [] }
        return connection.inbound
    }
}

/// A socket that a thread accepts connections from.
package struct ServerListener: Sendable {
    package var descriptor: CInt
    /// The certificate of connections that begin with a TLS handshake; nil for plain ones.
    package var identity: TLSIdentity?

    package init(_ descriptor: CInt, _ identity: TLSIdentity? = nil) {
        self.descriptor = descriptor
        self.identity = identity
    }
}
