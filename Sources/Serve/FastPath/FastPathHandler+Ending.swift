import HTTPTypes
import NIOCore

/// How connections end, and what slow ones may cost.
extension FastPathHandler {
    /// Between requests, with nothing to send.
    var isIdle: Bool {
        hasServed && mode == .open && held.readableBytes == 0 && unsent.bytes == 0
    }

    /// Nothing more is read; closes when everything written has been sent.
    func end(_ context: ChannelHandlerContext) {
        guard mode != .ending else { return }
        mode = .ending
        since = loop.time
        held = ByteBuffer()
        let promise = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: promise)
    }

    /// No further requests: at once where none is under way.
    func quiesce() {
        guard let context else { return }
        switch mode {
        case .open: end(context)
        case .handedOn(_, let isAnswered):
            endsWithAnswer = true
            if isAnswered { end(context) }
        case .through:
            endsWithAnswer = true
            if slow?.watch.underWay == 0 { end(context) }
        case .ending: break
        }
    }

    func abort() {
        mode = .ending
        slow?.task.cancel()
        // TLS would wait for the goodbye of a client that says nothing.
        if let wire { wire.cut() } else { context?.close(promise: nil) }
    }

    /// A client that closes its end while it waits is taken for gone, as nginx does: nobody can tell
    /// it from one that only stopped sending, and work that nobody waits for is the dearer mistake.
    func inputClosed(_ context: ChannelHandlerContext) {
        switch mode {
        case .open: end(context)
        case .handedOn, .through:
            endsWithAnswer = true
            slow?.task.cancel()
            if mode == .through, slow?.watch.underWay == 0 { end(context) }
        case .ending: break
        }
    }

    @discardableResult
    func refuseIfTooLarge(_ length: Int, _ context: ChannelHandlerContext) -> Bool {
        let limits = loop.limits
        let line = held.readableBytesView.prefix(limits.maxTargetBytes + 32)
        let isLineEnded =
            length <= limits.maxTargetBytes || line.contains(UInt8(ascii: "\n"))
        if !isLineEnded {
            refuse(.targetTooLong(limit: limits.maxTargetBytes), context)
        } else if length > limits.maxHeadBytes {
            refuse(.headTooLarge(limit: limits.maxHeadBytes), context)
        } else {
            return false
        }
        return true
    }

    func refuse(_ refusal: RequestRefusal, _ context: ChannelHandlerContext) {
        loop.counters.refused.add()
        let identity = RequestIdentity([:])
        RequestLog(
            refused: Array(held.readableBytesView.prefix(256)),
            status: refusal.problem.status.code, identity,
            client: context.channel.remoteAddress?.ipAddress
        ).write(loop.logger, loop.slowPath.access)
        let bytes = ByteBuffer(bytes: refusal.bytes(loop.hits.now(), identity))
        context.write(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
        end(context)
    }

    /// Looks whether the client takes too long, at every tick of the loop.
    func check() {
        guard let context else { return }
        if unsent.isStuck(context.channel, at: loop.time, for: loop.limits.send) {
            loop.counters.timedOut.add()
            abort()
            return
        }
        guard unsent.bytes == 0 else { return }
        let waited = loop.time - since
        switch mode {
        case .open where held.readableBytes > 0 && waited > loop.limits.head:
            loop.counters.timedOut.add()
            refuse(.tooSlow, context)
        case .open:
            if held.readableBytes == 0,
                waited > (hasServed ? loop.limits.keepAlive : loop.limits.head)
            {
                loop.counters.timedOut.add()
                end(context)
            }
        case .handedOn(let bodyLeft, _):
            if bodyLeft > 0, waited > loop.limits.head {
                loop.counters.timedOut.add()
                abort()
            }
        case .through:
            let isWaiting = slow.map { $0.watch.underWay == 0 || $0.watch.isReading } ?? true
            if isWaiting, waited > loop.limits.keepAlive {
                loop.counters.timedOut.add()
                abort()
            }
        case .ending: if waited > loop.limits.send { abort() }
        }
    }
}
