import NIOCore

/// Between TLS and HTTP: how an encrypted connection closes.
final class Parting: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let wire: Wire
    /// Whether it closes only when all that was written has been sent. For HTTP/2, where the server
    /// package closes a connection that was told to go as soon as its last stream has ended, which is
    /// when the end of the answer is encoded, not when it is sent.
    private let waits: Bool

    init(_ wire: Wire, waits: Bool) {
        self.wire = wire
        self.waits = waits
    }

    func close(
        context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
        guard mode == .all else { return context.close(mode: mode, promise: promise) }
        guard waits else { return part(context, promise) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in
            let (parting, context) = bound.value
            parting.part(context, promise)
        }
        // Not within the codec's own call, which has not yet written what it encoded.
        context.eventLoop.execute {
            let nothing = IOData.byteBuffer(ByteBuffer())
            bound.value.1.writeAndFlush(NIOAny(nothing), promise: sent)
        }
    }

    private func part(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        context.close(mode: .all, promise: promise)
        wire.part()
    }
}
