import Logging
import NIOCore

/// Everything that is no hit.
extension FastPathHandler {
    /// Hands exactly one request on; the next one waits for its answer.
    func handOn(_ framing: RequestScan.Framing, _ context: ChannelHandlerContext) {
        guard join(context) else { return }
        loop.counters.handedOn.add()
        hitsInARow = 0
        let length = framing.headLength + framing.bodyLength
        let there = min(length, held.readableBytes)
        endsWithAnswer = endsWithAnswer || framing.closes
        mode = .handedOn(bodyLeft: length - there, isAnswered: false)
        since = loop.time
        flush(context)
        handOn(there, context)
    }

    func handOnBody(_ bodyLeft: Int, _ isAnswered: Bool, _ context: ChannelHandlerContext) {
        let there = min(bodyLeft, held.readableBytes)
        since = loop.time
        let isWhole = there == bodyLeft
        mode =
            isWhole && isAnswered
            ? .open : .handedOn(bodyLeft: bodyLeft - there, isAnswered: isAnswered)
        handOn(there, context)
    }

    func handOn(_ count: Int, _ context: ChannelHandlerContext) {
        guard let bytes = held.readSlice(length: count) else { return }
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    /// Makes the codec part of the connection where it isn't yet; false if that failed, which ends it.
    func join(_ context: ChannelHandlerContext) -> Bool {
        if slow != nil { return true }
        let onEnd = loop.slowPathEnds()
        do {
            let joined = try loop.slowPath.join(context.channel, onEnd: onEnd)
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
        switch mode {
        case .handedOn(let bodyLeft, _):
            if endsWithAnswer {
                end(context)
            } else if bodyLeft > 0 {
                mode = .handedOn(bodyLeft: bodyLeft, isAnswered: true)
            } else {
                mode = .open
                // Not within the codec's own call.
                let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
                context.eventLoop.execute { handler.value.resume() }
            }
        case .through: if endsWithAnswer, slow.watch.underWay == 0 { end(context) }
        case .open, .ending: break
        }
    }
}
