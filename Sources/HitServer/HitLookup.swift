/// Answers plain requests from prepared responses. Belongs to one thread.
package struct HitLookup: ~Copyable {
    /// A response to send. Valid until ``HitLookup/settle()``.
    package struct Answer {
        let entry: HitEntry.Pointer
        let variant: PreparedHit.Variant
        package let isHead: Bool

        package var isNotModified: Bool { variant.isNotModified }
        package var status: Int { variant.isNotModified ? 304 : 200 }
        package var isStale: Bool { variant.freshness.isStale }
        package var closes: Bool { variant.closes }
        package var hasBody: Bool { !variant.isNotModified && !isHead }
        package var bodySize: Int { hasBody ? entry.pointee.body.count : 0 }
        package var prepared: PreparedHit { entry.pointee.prepared }
    }

    private let source: any HitSource
    private var table: HitTable
    private var representations: NegotiatedRepresentations
    private var texts: HeadTexts

    package init(_ source: any HitSource) {
        self.source = source
        table = HitTable(source)
        representations = NegotiatedRepresentations(source)
        texts = source.headTexts
    }

    /// Seconds since 1970.
    package func now() -> Double { source.now }

    /// Targets in the table.
    package var count: Int { table.count }

    /// Returns the response, or nil if the request is not a hit or its conditions need the general
    /// server. `bytes` begin with the request.
    package mutating func answer(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer, at now: Double
    ) -> Answer? {
        let accept = request.accept.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        let target = UnsafeRawBufferPointer(rebasing: bytes[request.target])
        let representation = representations.representation(accept)
        guard let entry = table.entry(target, representation, at: now),
            let isNotModified = Self.isNotModified(request, bytes, entry)
        else { return nil }
        let second = Int(now.rounded(.down))
        let freshness = entry.pointee.withRecord { source.use($0, at: now) }
        let variant = PreparedHit.Variant(
            isNotModified: isNotModified, isNegotiated: entry.pointee.isNegotiated,
            closes: request.framing.closes, freshness: freshness,
            linkLeft: entry.pointee.linkLeft(at: second), second: second)
        return Answer(entry: entry, variant: variant, isHead: request.isHead)
    }

    /// Returns the head of a response. Valid until the next call.
    package mutating func head(_ answer: Answer) -> UnsafeRawBufferPointer {
        answer.entry.pointee.head(answer.variant, &texts)
    }

    /// Frees what earlier responses used. They are sent or copied by now.
    package mutating func settle() { table.settle() }

    /// Frees entries of pictures that left memory.
    package mutating func sweep() { table.sweep() }

    /// Returns nil if the condition is not the plain one that clients send, an entity tag or a date
    /// as they got it. The general server knows the rules for all others.
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
