import FoundationEssentials
import Pipeline

/// Answers plain requests from memory. Belongs to one thread.
struct HitLookup: ~Copyable {
    /// What goes out. Valid until ``HitLookup/settle()``.
    struct Answer {
        let entry: HitEntry.Pointer
        let variant: PreparedHit.Variant
        let isHead: Bool

        var status: Int { variant.isNotModified ? 304 : 200 }
        var isStale: Bool { variant.outcome == .stale }
        var hasBody: Bool { !variant.isNotModified && !isHead }
        var bodySize: Int { hasBody ? entry.pointee.body.count : 0 }
    }

    private let pipeline: MediaPipeline
    private var table: HitTable
    private var formats = NegotiatedFormats()
    private var texts: HeadTexts

    init(_ pipeline: MediaPipeline) {
        self.pipeline = pipeline
        table = HitTable(pipeline)
        texts = HeadTexts(pipeline.configuration.freshness)
    }

    func now() -> Date { pipeline.now() }

    /// `nil` for what is no hit, or asks for more thought. `bytes` begin with the request.
    mutating func answer(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer, at now: Date
    ) -> Answer? {
        let accept = request.accept.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        let target = UnsafeRawBufferPointer(rebasing: bytes[request.target])
        guard let entry = table.entry(target, formats.format(accept), at: now),
            let isNotModified = Self.isNotModified(request, bytes, entry)
        else { return nil }
        let (isNegotiated, closes) = (entry.pointee.isNegotiated, request.framing.closes)
        let second = Int(now.timeIntervalSince1970.rounded(.down))
        let linkLeft = entry.pointee.linkLeft(at: second)
        let variant = entry.pointee.withHit { hit in
            hit.use()
            if hit.wantsRefresh(at: now) { pipeline.refresh(hit) }
            return PreparedHit.Variant(
                isNotModified: isNotModified, isNegotiated: isNegotiated, closes: closes,
                outcome: hit.outcome(at: now), secondsLeft: hit.secondsLeft(at: now),
                linkLeft: linkLeft, second: second)
        }
        return Answer(entry: entry, variant: variant, isHead: request.isHead)
    }

    /// Valid until the next call.
    mutating func head(_ answer: Answer) -> UnsafeRawBufferPointer {
        answer.entry.pointee.head(answer.variant, &texts)
    }

    /// Lets go of what was answered before.
    mutating func settle() { table.settle() }

    /// Lets go of what memory keeps no longer.
    mutating func sweep() { table.sweep() }

    /// `nil` where the condition is not the plain one that clients send, an entity tag or a date as
    /// they got it: the rules for all others are the long way's.
    private static func isNotModified(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer,
        _ entry: HitEntry.Pointer
    ) -> Bool? {
        if let range = request.entityTag {
            var tag = bytes[range]
            if tag.starts(with: [UInt8(ascii: "W"), UInt8(ascii: "/")]) { tag = tag.dropFirst(2) }
            return entry.pointee.prepared.entityTag.equals(UnsafeRawBufferPointer(rebasing: tag))
                ? true : nil
        }
        if let range = request.modifiedSince {
            let date = UnsafeRawBufferPointer(rebasing: bytes[range])
            return entry.pointee.prepared.lastModified.equals(date) ? true : nil
        }
        return false
    }
}
