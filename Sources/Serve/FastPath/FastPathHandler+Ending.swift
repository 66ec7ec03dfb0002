import HTTPTypes
import NIOCore

/// How connections end, and what slow ones may cost.
extension FastPathHandler {
    var standing: Standing {
        guard unsent.bytes == 0 else { return .busy }
        let isLate = loop.time - since > loop.limits.dripGrace
        switch mode {
        case .open:
            if held.readableBytes == 0, hasServed { return .idle }
            return isLate ? .dripping : .busy
        case .handedOn(let isAnswered):
            let isSlow = !body.isWhole && pace.isSlow(loop.limits, after: loop.limits.dripGrace)
            return isSlow || isAnswered && isLate ? .dripping : .busy
        case .ending: return .busy
        case .lingering: return .dripping
        }
    }

    /// Nothing more is answered; closes when everything written has been sent, and not before a
    /// client that may still send has had time to read it: bytes that nobody reads would reset the
    /// connection, and the answer be lost (RFC 9112, section 9.6).
    func end(_ context: ChannelHandlerContext, mayFollow: Bool = false) {
        guard mode != .ending, mode != .lingering else { return }
        let lingers = mayFollow || !body.isWhole || held.readableBytes > 0
        mode = .ending
        since = loop.time
        held = ByteBuffer()
        let promise = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let (handler, context) = bound.value
            if lingers { handler.linger(context) } else { context.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: promise)
    }

    private func linger(_ context: ChannelHandlerContext) {
        guard mode == .ending, self.context != nil else { return }
        guard !isInputClosed else { return context.close(promise: nil) }
        mode = .lingering
        since = loop.time
        dropped = 0
        context.close(mode: .output, promise: nil)
        context.read()
    }

    /// What came after the last request.
    func drop(_ count: Int) {
        dropped += count
        if dropped > loop.limits.maxLingerBytes { abort() }
    }

    /// No further requests: at once where none is under way.
    func quiesce() {
        guard let context else { return }
        switch mode {
        case .open: end(context)
        case .handedOn(let isAnswered):
            endsWithAnswer = true
            if isAnswered { end(context) }
        case .ending, .lingering: break
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
        isInputClosed = true
        switch mode {
        case .open: end(context)
        case .handedOn(let isAnswered):
            endsWithAnswer = true
            slow?.task.cancel()
            if isAnswered { end(context) }
        case .ending: break
        case .lingering: abort()
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
        slow?.task.cancel()
        end(context, mayFollow: true)
    }

    /// Looks whether the client takes too long, at every tick of the loop.
    func check() {
        guard let context else { return }
        if unsent.isStuck(context.channel, at: loop.time, for: loop.limits.send) {
            loop.counters.timedOut.add()
            abort()
            return
        }
        pace.advance(to: loop.time, isAwaited: isAwaiting)
        guard unsent.bytes == 0 else { return }
        let (limits, waited) = (loop.limits, loop.time - since)
        switch mode {
        case .open where held.readableBytes > 0:
            if waited > limits.head { refuseLate(.tooSlow, context) }
        case .open:
            if waited > (hasServed ? limits.keepAlive : limits.head) {
                loop.counters.timedOut.add()
                end(context)
            }
        case .handedOn(isAnswered: false):
            guard !body.isWhole, pace.isTooSlow(limits) else { return }
            if slow?.watch.hasBegun == true {
                loop.counters.timedOut.add()
                abort()
            } else {
                refuseLate(.bodyTooSlow, context)
            }
        case .handedOn(isAnswered: true):
            if waited > limits.linger {
                loop.counters.timedOut.add()
                abort()
            }
        case .ending: if waited > limits.send { abort() }
        case .lingering: if waited > limits.linger { abort() }
        }
    }

    private func refuseLate(_ refusal: RequestRefusal, _ context: ChannelHandlerContext) {
        loop.counters.timedOut.add()
        refuse(refusal, context)
    }
}
