import FoundationEssentials
import Pipeline

/// Answers plain requests from memory. Belongs to one thread.
struct HitLookup {
    /// What goes out.
    struct Answer {
        let entry: HitTable.Entry
        let variant: PreparedHit.Variant
        let isHead: Bool

        var status: Int { variant.isNotModified ? 304 : 200 }
        var hasBody: Bool { !variant.isNotModified && !isHead }
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
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer
    ) -> Answer? {
        let now = pipeline.now()
        let accept = request.accept.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        let target = UnsafeRawBufferPointer(rebasing: bytes[request.target])
        guard let entry = table.entry(target, formats.format(accept), at: now),
            let isNotModified = Self.isNotModified(request, bytes, entry.prepared)
        else { return nil }
        entry.hit.use()
        if entry.hit.wantsRefresh(at: now) { pipeline.refresh(entry.hit) }
        return Answer(
            entry: entry,
            variant: PreparedHit.Variant(
                isNotModified: isNotModified, isNegotiated: entry.isNegotiated,
                closes: request.framing.closes, outcome: entry.hit.outcome(at: now),
                secondsLeft: entry.hit.secondsLeft(at: now),
                second: Int(now.timeIntervalSince1970.rounded(.down))),
            isHead: request.isHead)
    }

    mutating func head(_ answer: Answer) -> [UInt8] {
        answer.entry.head(answer.variant, &texts)
    }

    /// Lets go of what memory keeps no longer.
    mutating func sweep() { table.sweep() }

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
}
