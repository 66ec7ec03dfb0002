/// The open connections of one thread, found by their descriptors and ordered by age. Pure.
///
/// Times are milliseconds of a monotonic clock.
struct OpenConnections {
    private struct Connection {
        var isOpen = false
        var hasServed = false
        /// When it was accepted or last answered.
        var since = 0
    }

    private var connections: [Connection] = []
    /// Connections without a request so far, by when they were accepted.
    private var mute = AgeList()
    /// The other connections, by when they were last answered.
    private var idle = AgeList()

    var all: [CInt] {
        connections.indices.filter { connections[$0].isOpen }.map { CInt($0) }
    }

    /// The connection that was accepted first among those without a request so far.
    var oldestMute: CInt? { mute.first.map { CInt($0) } }
    /// The connection that was answered first among those that had a request.
    var oldestIdle: CInt? { idle.first.map { CInt($0) } }

    func contains(_ file: CInt) -> Bool {
        Int(file) < connections.count && connections[Int(file)].isOpen
    }

    /// Returns whether an open connection has had a response.
    func hasServed(_ file: CInt) -> Bool { connections[Int(file)].hasServed }

    /// Returns when an open connection was accepted or last answered.
    func since(_ file: CInt) -> Int { connections[Int(file)].since }

    mutating func add(_ file: CInt, hasServed: Bool, at now: Int) {
        let file = Int(file)
        while connections.count <= file { connections.append(Connection()) }
        connections[file] = Connection(isOpen: true, hasServed: hasServed, since: now)
        if hasServed { idle.append(file) } else { mute.append(file) }
    }

    mutating func remove(_ file: CInt) {
        connections[Int(file)].isOpen = false
        mute.remove(Int(file))
        idle.remove(Int(file))
    }

    /// Makes an open connection neither mute nor idle, because its response is under way.
    mutating func pause(_ file: CInt) {
        mute.remove(Int(file))
        idle.remove(Int(file))
    }

    /// Ends a pause.
    mutating func resume(_ file: CInt, at now: Int) {
        let file = Int(file)
        connections[file].since = now
        if connections[file].hasServed { idle.append(file) } else { mute.append(file) }
    }

    /// Restarts an open connection's idle time, at most once a millisecond, the clock's resolution.
    mutating func recordServed(_ file: CInt, at now: Int) {
        let file = Int(file)
        guard !connections[file].hasServed || connections[file].since != now else { return }
        mute.remove(file)
        idle.append(file)
        connections[file].hasServed = true
        connections[file].since = now
    }
}
