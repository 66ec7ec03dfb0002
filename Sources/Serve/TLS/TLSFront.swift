import NIOCore
import NIOSSL
import NIOTLS

/// Before everything else on an encrypted connection: the handshake, and which HTTP is spoken.
struct TLSFront: Sendable {
    let identity: TLSIdentity
    /// How long a client may take for the handshake.
    let patience: TimeAmount

    /// Puts the handshake into an empty pipeline; what follows is put behind it when both agreed. On
    /// the channel's event loop.
    func begin(_ channel: any Channel, _ loop: NIOLoopBound<ServingLoop>) throws {
        let pipeline = channel.pipeline.syncOperations
        let wire = NIOLoopBound(Wire(), eventLoop: channel.eventLoop)
        try pipeline.addHandler(wire.value)
        try pipeline.addHandler(NIOSSLServerHandler(context: identity.context))
        let tooLate = channel.eventLoop.scheduleTask(in: patience) { [loop] in
            loop.value.counters.timedOut.add()
            wire.value.cut()
        }
        channel.closeFuture.whenComplete { _ in tooLate.cancel() }
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { result, channel in
                tooLate.cancel()
                return channel.eventLoop.makeCompletedFuture {
                    do {
                        if result == .negotiated("h2") {
                            try HTTP2Connection.start(channel, wire.value, loop.value)
                        } else {
                            try channel.pipeline.syncOperations.addHandlers(
                                Parting(wire.value, waits: false),
                                FastPathHandler(loop.value, wire: wire.value))
                        }
                    } catch {
                        wire.value.cut()
                        throw error
                    }
                }
            })
    }
}
