/// The open connections of one thread, found by their descriptors and ordered by age. Pure.
///
/// Times are milliseconds of a monotonic clock.
struct OpenConnections {
    private struct Entry {
        var isOpen = false
        var hasServed = false
        /// When it was accepted or last answered.
        var since = 0
        var number = 0
        var interest: EventQueue.Interest?
        var session: TLSTransport?
    }

    private var entries: [Entry] = []
    private var lastNumber = 0
    /// Connections without a request so far, by when they were accepted.
    private var mute = AgeList()
    /// The other connections, by when they were last answered.
    private var idle = AgeList()

    var all: [CInt] { entries.indices.filter { entries[$0].isOpen }.map { CInt($0) } }

    /// The connection that was accepted first among those without a request so far.
    var oldestMute: CInt? { mute.first.map { CInt($0) } }
    /// The connection that was answered first among those that had a request.
    var oldestIdle: CInt? { idle.first.map { CInt($0) } }

    func contains(_ file: CInt) -> Bool {
        Int(file) < entries.count && entries[Int(file)].isOpen
    }

    /// Returns whether an open connection has had a response.
    func hasServed(_ file: CInt) -> Bool { entries[Int(file)].hasServed }

    /// Returns when an open connection was accepted or last answered.
    func since(_ file: CInt) -> Int { entries[Int(file)].since }

    /// Returns what tells an open connection from others that had its descriptor.
    func number(_ file: CInt) -> Int { entries[Int(file)].number }

    /// Returns what tells the events of an open connection from those of others that had its descriptor.
    func tag(_ file: CInt) -> UInt32 { UInt32(truncatingIfNeeded: number(file)) }

    func transport(_ file: CInt) -> Transport { Transport(file, entries[Int(file)].session) }

    /// Returns what an open connection is watched for; nil if it is not watched.
    func interest(_ file: CInt) -> EventQueue.Interest? { entries[Int(file)].interest }

    mutating func setInterest(_ file: CInt, _ interest: EventQueue.Interest) {
        entries[Int(file)].interest = interest
    }

    mutating func add(_ file: CInt, _ session: TLSTransport? = nil, at now: Int) {
        let file = Int(file)
        while entries.count <= file { entries.append(Entry()) }
        assert(!entries[file].isOpen, "a connection is opened twice")
        lastNumber += 1
        entries[file] = Entry(isOpen: true, since: now, number: lastNumber, session: session)
        mute.append(file)
    }

    mutating func remove(_ file: CInt) {
        assert(contains(file), "a connection is removed twice")
        entries[Int(file)] = Entry()
        mute.remove(Int(file))
        idle.remove(Int(file))
    }

    /// Makes an open connection neither mute nor idle, because it has more than its socket.
    mutating func pause(_ file: CInt) {
        assert(contains(file), "a connection that has ended is paused")
        mute.remove(Int(file))
        idle.remove(Int(file))
    }

    /// Ends a pause.
    mutating func resume(_ file: CInt, at now: Int) {
        assert(contains(file), "a connection that has ended waits for a request")
        let file = Int(file)
        entries[file].since = now
        if entries[file].hasServed { idle.append(file) } else { mute.append(file) }
    }

    /// Restarts an open connection's idle time, at most once a millisecond, the clock's resolution.
    ///
    /// - Parameter isPaused: whether it is neither mute nor idle, and stays so.
    mutating func recordServed(_ file: CInt, isPaused: Bool = false, at now: Int) {
        assert(contains(file), "a connection that has ended is answered")
        let file = Int(file)
        guard !entries[file].hasServed || entries[file].since != now else { return }
        entries[file].hasServed = true
        entries[file].since = now
        guard !isPaused else { return }
        mute.remove(file)
        idle.append(file)
    }
}
