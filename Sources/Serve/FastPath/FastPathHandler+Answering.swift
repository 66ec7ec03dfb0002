import FoundationEssentials
import NIOCore
import Pipeline

/// The fast path itself.
extension FastPathHandler {
    /// Writes the answer if the request is for a hit; the request stays held if not.
    func answer(_ request: RequestScan.PlainRequest, _ context: ChannelHandlerContext) -> Bool {
        let now = loop.now()
        let answer: FastAnswer? = held.withUnsafeReadableBytes { bytes in
            let accept = request.accept.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
            let target = UnsafeRawBufferPointer(rebasing: bytes[request.target])
            guard let entry = loop.table.entry(target, loop.formats.format(accept)),
                let outcome = entry.hit.outcome(at: now),
                let isNotModified = Self.isNotModified(request, bytes, entry.prepared)
            else { return nil }
            return FastAnswer(
                entry: entry,
                variant: PreparedHit.Variant(
                    isNotModified: isNotModified, isNegotiated: entry.isNegotiated,
                    closes: request.framing.closes, outcome: outcome,
                    secondsLeft: entry.hit.secondsLeft(at: now),
                    second: Int(now.timeIntervalSince1970.rounded(.down))))
        }
        guard let answer else { return false }
        if loop.logsRequests { log(request, answer) }
        held.moveReaderIndex(forwardBy: request.framing.headLength)
        write(answer, isHead: request.isHead, context)
        return true
    }

    private struct FastAnswer {
        var entry: HitTable.Entry
        var variant: PreparedHit.Variant
    }

    private func write(
        _ answer: FastAnswer, isHead: Bool, _ context: ChannelHandlerContext
    ) {
        let head = answer.entry.head(answer.variant, &loop.texts)
        answer.entry.hit.use()
        hasServed = true
        since = loop.time
        context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
        if answer.variant.isNotModified {
            loop.counters.notModified.add()
        } else {
            loop.counters.hits.add()
            if !isHead {
                let body = answer.entry.prepared.body
                loop.counters.bodyBytes.add(body.readableBytes)
                context.write(wrapOutboundOut(.byteBuffer(body)), promise: nil)
            }
        }
        if answer.variant.closes { end(context) }
    }

    /// `nil` where the condition is not the plain one that clients send, an entity tag or a date as
    /// they got it: the rules for all others are the long way's.
    private static func isNotModified(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer,
        _ prepared: PreparedHit
    ) -> Bool? {
        if let range = request.entityTag {
            var tag = bytes[range]
            if tag.starts(with: [UInt8(ascii: "W"), UInt8(ascii: "/")]) { tag = tag.dropFirst(2) }
            return prepared.entityTag.equals(UnsafeRawBufferPointer(rebasing: tag)) ? true : nil
        }
        if let range = request.modifiedSince {
            let date = UnsafeRawBufferPointer(rebasing: bytes[range])
            return prepared.lastModified.equals(date) ? true : nil
        }
        return false
    }

    private func log(_ request: RequestScan.PlainRequest, _ answer: FastAnswer) {
        let path = held.withUnsafeReadableBytes { bytes in
            String(decoding: bytes[request.target], as: UTF8.self)
        }
        let isNotModified = answer.variant.isNotModified
        RequestLog.write(
            loop.logger, method: request.isHead ? "HEAD" : "GET", path: path,
            status: isNotModified ? 304 : 200,
            bytes: isNotModified ? 0 : answer.entry.prepared.body.readableBytes,
            cache: CacheStatus.field(answer.variant.outcome), .zero)
    }
}
