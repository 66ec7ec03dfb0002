import NIOCore

/// An encrypted connection during its handshake. Belongs to one event loop.
final class TLSHandshake: LoopConnection {
    private let loop: ServingLoop
    private let transport: TLSTransport
    let since: NIODeadline

    init(_ loop: ServingLoop, _ transport: TLSTransport) {
        self.loop = loop
        self.transport = transport
        since = loop.time
    }

    var standing: Standing { loop.time - since > loop.limits.dripGrace ? .dripping : .busy }

    func check() {
        guard loop.time - since > loop.limits.head else { return }
        loop.recordTimeOut()
        abort()
    }

    func quiesce() { abort() }

    func abort() {
        loop.ended(self)
        transport.cut()
    }
}
