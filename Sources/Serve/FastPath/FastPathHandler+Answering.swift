import NIOCore

/// The fast path itself.
extension FastPathHandler {
    /// Writes the answer if the request is for a hit; the request stays held if not.
    func answer(_ request: RequestScan.PlainRequest, _ context: ChannelHandlerContext) -> Bool {
        let found = held.withUnsafeReadableBytes { bytes in
            let answer = loop.hits.answer(request, bytes)
            if let answer, loop.logsRequests {
                RequestLog.write(loop.logger, request, bytes, answer)
            }
            return answer
        }
        guard let answer = found else { return false }
        held.moveReaderIndex(forwardBy: request.framing.headLength)
        hasServed = true
        since = loop.time
        loop.counters.count(answer)
        let head = ByteBuffer(bytes: loop.hits.head(answer))
        context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
        if answer.hasBody {
            context.write(wrapOutboundOut(.byteBuffer(answer.entry.prepared.body)), promise: nil)
        }
        if answer.variant.closes { end(context) }
        return true
    }
}
