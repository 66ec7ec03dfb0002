import CLinux

/// The response to a hit: its body and the header lines that are the same in every response. Made
/// once for a picture, or for what a blob is asked for, and shared by all threads.
package final class PreparedHit: Sendable {
    /// Valid as long as this object lives.
    // nonisolated(unsafe) because no thread ever writes to these bytes.
    package nonisolated(unsafe) let body: UnsafeRawBufferPointer
    /// Keeps the bytes of ``body`` in place.
    private let owner: (any AnyObject & Sendable)?
    /// What is sent instead of ``body``.
    package let file: (any HitFile)?
    /// Bytes of the body.
    let byteCount: Int
    package let route: HitRoute
    /// With its quotes.
    let entityTag: [UInt8]
    let lastModified: [UInt8]
    private let fields: FieldLines

    /// - Parameters:
    ///   - body: bytes that stay in place, unchanged, as long as `owner` lives; nil if the body is sent from
    ///     `file`, or not at all.
    ///   - byteCount: bytes of the body; nil for those of `body`.
    ///   - entityTag: with its quotes.
    ///   - lastModified: as the client gets it.
    ///   - fields: all header lines except those about the body's length, the connection and the time.
    package init(
        _ route: HitRoute = .picture, body: UnsafeRawBufferPointer?, file: (any HitFile)? = nil,
        byteCount: Int? = nil, owner: (any AnyObject & Sendable)?, entityTag: [UInt8],
        lastModified: [UInt8], fields: FieldLines
    ) {
        self.route = route
        self.body = body ?? UnsafeRawBufferPointer(start: nil, count: 0)
        self.file = file
        self.byteCount = byteCount ?? self.body.count
        self.owner = owner
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.fields = fields
    }

    /// What a head depends on besides the picture.
    struct Variant: Equatable {
        var isNotModified: Bool
        /// The part of the body that is sent with 206; nil for the whole.
        var part: Range<Int>?
        var isNegotiated: Bool
        var closes: Bool
        var freshness: HitFreshness
        /// Seconds until the target stops being valid; nil for never.
        var linkLeft: Int?
        /// Seconds since 1970, for `Date`.
        var second: Int
    }

    /// Writes the head up to the id of the request.
    func write(_ variant: Variant, _ texts: inout HeadTexts, to head: inout ResponseHead) {
        if variant.part != nil {
            head.start(HeadTexts.partialContent)
        } else {
            head.start(variant.isNotModified ? HeadTexts.notModified : HeadTexts.ok)
        }
        head.add(fields)
        if route == .picture {
            if variant.isNegotiated { head.add(HeadTexts.vary) }
            if !variant.isNotModified { addLength(byteCount, to: &head) }
            addLife(variant, &texts, to: &head)
        } else if !variant.isNotModified {
            addLength(variant.part, to: &head)
        }
        if variant.closes { head.setCloses() }
        head.add(texts.date(variant.second))
    }

    private func addLife(
        _ variant: Variant, _ texts: inout HeadTexts, to head: inout ResponseHead
    ) {
        let secondsLeft = variant.freshness.secondsLeft
        head.add(variant.freshness.isStale ? texts.stale : texts.hit)
        if let limit = texts.clientLimit {
            let linkLeft = min(limit, variant.linkLeft ?? limit)
            head.add("Cache-Control") { $0 += texts.bounded(secondsLeft, linkLeft) }
        }
        head.add(texts.clientLimit == nil ? "Cache-Control" : "CDN-Cache-Control") { value in
            if let linkLeft = variant.linkLeft {
                value += texts.bounded(secondsLeft, linkLeft)
            } else {
                value += texts.maxAge
                value.append(decimal: max(0, secondsLeft))
                value += texts.staleness
            }
        }
        head.add("Age") { $0.append(decimal: max(0, -secondsLeft)) }
    }

    private func addLength(_ part: Range<Int>?, to head: inout ResponseHead) {
        if route.hasRanges { head.add(HeadTexts.acceptRanges) }
        if let part {
            head.add("Content-Range") { value in
                value += HeadTexts.bytesUnit
                value.append(decimal: part.lowerBound)
                value.append(UInt8(ascii: "-"))
                value.append(decimal: part.upperBound - 1)
                value.append(UInt8(ascii: "/"))
                value.append(decimal: byteCount)
            }
        }
        addLength(part?.count ?? byteCount, to: &head)
    }

    private func addLength(_ count: Int, to head: inout ResponseHead) {
        head.add("Content-Length") { $0.append(decimal: count) }
    }
}

/// The open file of a response, which the kernel sends without a copy in this program.
package protocol HitFile: AnyObject, Sendable {
    /// Valid as long as this object lives.
    var descriptor: CInt { get }

    /// Returns whether the file is as it was when its bytes were verified. One system call.
    var isUnchanged: Bool { get }

    /// Returns whether a range can be sent without waiting for the disk. One system call.
    func isCached(_ range: Range<Int>) -> Bool

    /// Reads a range into the page cache on another thread, then calls `onEnd`, once.
    func fetch(_ range: Range<Int>, _ onEnd: @escaping @Sendable () -> Void)

    /// Counts bytes that were sent.
    func countSent(_ bytes: Int)
}

extension HitFile {
    package func isCached(_ range: Range<Int>) -> Bool {
        vitrine_is_cached(descriptor, range.lowerBound, range.count)
    }
}

/// How fresh a hit is when it is sent.
package struct HitFreshness: Equatable, Sendable {
    package var isStale: Bool
    /// Negative once it is stale.
    package var secondsLeft: Int

    package init(isStale: Bool, secondsLeft: Int) {
        self.isStale = isStale
        self.secondsLeft = secondsLeft
    }
}
