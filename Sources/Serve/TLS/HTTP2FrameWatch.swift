import NIOCore

/// Stands before the HTTP/2 codec and reports incomplete heads, because a stream begins only with a
/// complete head.
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
