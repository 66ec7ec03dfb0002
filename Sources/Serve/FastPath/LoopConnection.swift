import NIOCore

/// A connection as its event loop looks after it. Only ever touched on that loop.
protocol LoopConnection: AnyObject {
    var standing: Standing { get }
    /// When the state that timeouts count from began.
    var since: NIODeadline { get }
    /// Looks whether the client takes too long, at every tick of the loop.
    func check()
    /// No further requests: closes at once where none is under way.
    func quiesce()
    /// Ends it, whatever it does.
    func abort()
}

/// What a connection does, for when room is needed.
enum Standing {
    /// A request is being answered, or has only just begun to arrive.
    case busy
    /// Between requests, with nothing to send.
    case idle
    /// Its client owes the rest of a request, for longer than honest ones do.
    case dripping
}
