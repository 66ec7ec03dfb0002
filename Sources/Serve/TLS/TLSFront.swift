import NIOCore
import NIOSSL
import NIOTLS

/// Sets up an encrypted connection: handshake and choice of the HTTP version.
struct TLSFront: Sendable {
    let identity: TLSIdentity

    /// Adds the handshake to an empty pipeline. The HTTP handlers are added when it is done. On the
    /// channel's event loop.
    func begin(_ channel: any Channel, _ loop: NIOLoopBound<ServingLoop>) throws {
        let pipeline = channel.pipeline.syncOperations
        let transport = NIOLoopBound(TLSTransport(), eventLoop: channel.eventLoop)
        try pipeline.addHandler(transport.value)
        try pipeline.addHandler(NIOSSLServerHandler(context: identity.context))
        let handshake = NIOLoopBound(
            TLSHandshake(loop.value, transport.value), eventLoop: channel.eventLoop)
        loop.value.began(handshake.value)
        channel.closeFuture.whenComplete { [loop] _ in loop.value.ended(handshake.value) }
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { result, channel in
                loop.value.ended(handshake.value)
                return channel.eventLoop.makeCompletedFuture {
                    do {
                        if result == .negotiated("h2") {
                            try channel.pipeline.syncOperations.addHandlers(
                                CloseHandler(transport.value, waits: true),
                                HTTP2Connection(loop.value, transport.value))
                        } else {
                            try channel.pipeline.syncOperations.addHandlers(
                                CloseHandler(transport.value, waits: false),
                                HTTP1Connection(loop.value, transport.value))
                        }
                    } catch {
                        transport.value.cut()
                        throw error
                    }
                }
            })
    }
}
