import NIOCore

/// Bounds the open connections of a listening socket.
///
/// Full, it closes connections that idle, as nginx does, and accepts no more until one has gone: who
/// comes then waits in the kernel's queue instead of being refused. It may be exceeded by one batch
/// of accepts.
final class AcceptGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private let limit: Int
    private let makeRoom: @Sendable () -> Void
    private var open = 0
    private var isReadWanted = false

    /// `makeRoom` is called each time the gate closes.
    init(limit: Int, makeRoom: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.makeRoom = makeRoom
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open += 1
        let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
            let (handler, context) = gate.value
            handler.closed(context)
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        guard open >= limit else {
            context.read()
            return
        }
        isReadWanted = true
        makeRoom()
    }

    private func closed(_ context: ChannelHandlerContext) {
        open -= 1
        if isReadWanted, open < limit {
            isReadWanted = false
            context.read()
        }
    }
}
