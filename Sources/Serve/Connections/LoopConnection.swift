import NIOCore

/// A connection as its event loop sees it. Used on that loop only.
protocol LoopConnection: AnyObject {
    var standing: Standing { get }
    /// When the state began that timeouts count from.
    var since: NIODeadline { get }
    /// Checks at every tick whether the client takes too long.
    func check()
    /// Takes no further requests. Closes at once if none is under way.
    func quiesce()
    /// Closes it at once.
    func abort()
}

/// Whether a connection can be closed for others.
enum Standing {
    /// A request is being answered or has just begun to arrive.
    case busy
    /// Between requests, with nothing to send.
    case idle
    /// The rest of a request has been missing for longer than with normal clients.
    case dripping
}
