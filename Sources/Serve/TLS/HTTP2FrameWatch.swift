import NIOCore

/// Before the HTTP/2 codec: tells the connection how long a head has been on its way, as its streams
/// begin only when it is whole.
final class HTTP2FrameWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let onBytes: (_ isOpen: Bool, _ isNew: Bool) -> Void
    private var scan = HTTP2FrameScan()

    /// - Parameter onBytes: called with whether a head or another frame is incomplete, and whether it
    ///   is another one than before.
    init(onBytes: @escaping (_ isOpen: Bool, _ isNew: Bool) -> Void) { self.onBytes = onBytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let wasOpen = scan.isOpen
        let hasPaused = unwrapInboundIn(data).withUnsafeReadableBytes { scan.take($0) }
        onBytes(scan.isOpen, hasPaused || !wasOpen)
        context.fireChannelRead(data)
    }
}
