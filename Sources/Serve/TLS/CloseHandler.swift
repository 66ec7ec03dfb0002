import NIOCore

/// Closes an encrypted connection. Stands between TLS and HTTP.
final class CloseHandler: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let transport: TLSTransport
    /// Whether it closes only after everything written is sent. HTTP/2 needs this: it closes as soon
    /// as the last response is written, not sent.
    private let waits: Bool

    init(_ transport: TLSTransport, waits: Bool) {
        self.transport = transport
        self.waits = waits
    }

    func close(
        context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
        guard mode == .all else { return context.close(mode: mode, promise: promise) }
        guard waits else { return closeNow(context, promise) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in
            let (handler, context) = bound.value
            handler.closeNow(context, promise)
        }
        context.writeAndFlush(NIOAny(IOData.byteBuffer(ByteBuffer())), promise: sent)
    }

    private func closeNow(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        context.close(mode: .all, promise: promise)
        transport.didClose()
    }
}
