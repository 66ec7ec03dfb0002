import NIOCore

/// The encrypted side of a connection. Counts the bytes to send and can cut the connection.
final class TLSTransport: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// Bytes since the connection began.
    private(set) var written = 0
    private var context: ChannelHandlerContext?
    private var isInputClosed = false
    private var isClosing = false

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
        if isClosing { cut() }
    }

    /// TLS has sent close_notify. It would wait for the client's even if none can come.
    func didClose() {
        isClosing = true
        if isInputClosed { cut() }
    }

    /// Closes at once, without close_notify.
    func cut() { context?.close(promise: nil) }
}
