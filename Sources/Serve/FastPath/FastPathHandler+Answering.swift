import NIOCore

/// The fast path itself.
extension FastPathHandler {
    /// Writes the answer if the request is for a hit; the request stays held if not.
    func answer(_ request: RequestScan.PlainRequest, _ context: ChannelHandlerContext) -> Bool {
        defer { loop.hits.settle() }
        let found = held.withUnsafeReadableBytes { bytes in
            let answer = loop.hits.answer(request, bytes, at: loop.hits.now())
            if let answer, loop.logsRequests {
                RequestLog.write(
                    loop.logger, request, bytes, answer,
                    client: context.channel.remoteAddress?.ipAddress)
            }
            return answer
        }
        guard let answer = found else { return false }
        held.moveReaderIndex(forwardBy: request.framing.headLength)
        hasServed = true
        hitsInARow += 1
        since = loop.time
        let head = ByteBuffer(bytes: loop.hits.head(answer))
        context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
        if answer.hasBody {
            context.write(
                wrapOutboundOut(.byteBuffer(answer.entry.pointee.prepared.body)), promise: nil)
        }
        loop.counters.count(
            answer, seconds: Double((NIODeadline.now() - received).nanoseconds) / 1e9)
        if answer.variant.closes { end(context) }
        return true
    }
}
