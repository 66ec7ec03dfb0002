import NIOCore

/// The encrypted side of a connection: knows how much was to be sent, and can be cut.
final class Wire: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// Bytes, since the connection began.
    private(set) var written = 0
    private var context: ChannelHandlerContext?
    private var isInputClosed = false
    private var isParting = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case .inputClosed? = event as? ChannelEvent else { return }
        isInputClosed = true
        if isParting { cut() }
    }

    /// TLS has said goodbye, and would wait for the client to do so even when that can't any more.
    func part() {
        isParting = true
        if isInputClosed { cut() }
    }

    /// Closes at once, without goodbye: who is cut off is one that says nothing.
    func cut() { context?.close(promise: nil) }
}
