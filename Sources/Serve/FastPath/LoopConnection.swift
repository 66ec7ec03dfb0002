import NIOCore

/// A connection as its event loop looks after it. Only ever touched on that loop.
protocol LoopConnection: AnyObject {
    /// Between requests, with nothing to send.
    var isIdle: Bool { get }
    /// When the state that timeouts count from began.
    var since: NIODeadline { get }
    /// Looks whether the client takes too long, at every tick of the loop.
    func check()
    /// No further requests: at once where none is under way.
    func quiesce()
    /// Ends it, whatever it does.
    func abort()
}
