import NIOCore

/// An encrypted connection until both ends have agreed. Belongs to one event loop.
final class TLSHandshake: LoopConnection {
    private let loop: ServingLoop
    private let wire: Wire
    let since: NIODeadline

    init(_ loop: ServingLoop, _ wire: Wire) {
        self.loop = loop
        self.wire = wire
        since = .now()
    }

    var standing: Standing { loop.time - since > loop.limits.dripGrace ? .dripping : .busy }

    func check() {
        guard loop.time - since > loop.limits.head else { return }
        loop.counters.timedOut.add()
        abort()
    }

    func quiesce() { abort() }

    func abort() {
        loop.ended(self)
        wire.cut()
    }
}
