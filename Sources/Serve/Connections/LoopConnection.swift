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
