import Logging
import NIOCore
import NIOHTTP1

/// Everything that is no hit.
extension FastPathHandler {
    /// Hands exactly one request on; the next one waits for its answer.
    func handOn(_ framing: RequestScan.Framing, _ context: ChannelHandlerContext) {
        guard join(context) else { return }
        loop.counters.handedOn.add()
        hitsInARow = 0
        endsWithAnswer = endsWithAnswer || framing.closes
        body = BodyScan(framing.body, maxOverhead: loop.limits.maxHeadBytes)
        pace = BodyPace(at: loop.time, isInvited: !framing.expects)
        dropped = 0
        mode = .handedOn(isAnswered: false)
        since = loop.time
        flush(context)
        handOn(framing.headLength, context)
    }

    func handOnBody(_ isAnswered: Bool, _ context: ChannelHandlerContext) {
        let count = held.withUnsafeReadableBytes { body.take($0) }
        if body.isBroken {
            held = ByteBuffer()
            endsWithAnswer = true
            // The codec could take it for something else: whoever reads the body is told by this.
            if isAnswered {
                end(context)
            } else {
                context.fireErrorCaught(HTTPParserError.invalidChunkSize)
            }
            return
        }
        pace.add(count, at: loop.time)
        if isAnswered {
            dropped += count
            guard dropped <= loop.limits.maxLingerBytes else { return end(context) }
            if body.isWhole { mode = .open }
        }
        handOn(count, context)
    }

    private func handOn(_ count: Int, _ context: ChannelHandlerContext) {
        guard let bytes = held.readSlice(length: count) else { return }
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    /// Whether the rest of the body is more than what is waited for once its request is answered.
    private var isBodyTooLong: Bool { (body.left ?? .max) > loop.limits.maxLingerBytes }

    /// Makes the codec part of the connection where it isn't yet; false if that failed, which ends it.
    func join(_ context: ChannelHandlerContext) -> Bool {
        if slow != nil { return true }
        let onEnd = loop.slowPathEnds()
        do {
            let joined = try loop.slowPath.join(
                context.channel, maxHeadBytes: loop.limits.maxHeadBytes, onEnd: onEnd)
            joined.watch.mustBeLast = { [weak self] in
                self.map { $0.endsWithAnswer || $0.isBodyTooLong } ?? true
            }
            joined.watch.onInvitation = { [weak self] in
                self.map { $0.pace.invite(at: $0.loop.time) }
            }
            joined.watch.onAnswer = { [weak self] in self?.answered() }
            slow = joined
            return true
        } catch {
            onEnd()
            loop.logger.error(
                "a connection was dropped", metadata: ["error": "\(error)"])
            mode = .ending
            context.close(promise: nil)
            return false
        }
    }

    /// The codec has written the end of an answer.
    private func answered() {
        guard let context, let slow else { return }
        if slow.watch.isLast { endsWithAnswer = true }
        hasServed = true
        since = loop.time
        guard mode == .handedOn(isAnswered: false) else { return }
        if endsWithAnswer {
            end(context)
        } else if !body.isWhole {
            mode = .handedOn(isAnswered: true)
        } else {
            mode = .open
            // Not within the codec's own call.
            let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
            context.eventLoop.execute { handler.value.resume() }
        }
    }
}
