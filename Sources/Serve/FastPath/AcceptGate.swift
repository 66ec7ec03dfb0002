import NIOCore

/// Bounds the open connections of a listening socket.
///
/// Near the bound it closes connections that idle, as nginx does; at the bound it accepts no more until
/// one has gone: who comes then waits in the kernel's queue instead of being refused. The bound may
/// be exceeded by one batch of accepts.
final class AcceptGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    /// While the gate is closed, connections that come to idle are closed that often.
    private static let pause = TimeAmount.milliseconds(50)

    private let limit: Int
    private let room: Int
    private let makeRoom: @Sendable (_ count: Int) -> Void
    private var open = 0
    private var isReadWanted = false

    /// `makeRoom` closes so many idle connections, or as many as there are.
    init(limit: Int, makeRoom: @escaping @Sendable (_ count: Int) -> Void) {
        self.limit = limit
        room = max(1, limit / 16)
        self.makeRoom = makeRoom
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open += 1
        if open > limit - room { makeRoom(open - (limit - room)) }
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
        guard !isReadWanted else { return }
        isReadWanted = true
        retry(context)
    }

    private func retry(_ context: ChannelHandlerContext) {
        let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.pause) {
            let (handler, context) = gate.value
            guard handler.isReadWanted, context.channel.isActive else { return }
            handler.makeRoom(handler.room)
            handler.retry(context)
        }
    }

    private func closed(_ context: ChannelHandlerContext) {
        open -= 1
        if isReadWanted, open < limit {
            isReadWanted = false
            context.read()
        }
    }
}
