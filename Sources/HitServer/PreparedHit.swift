/// The response to a hit: its body and the header lines that are the same in every response. Made
/// once for a picture, or for what a blob is asked for, and shared by all threads.
package final class PreparedHit: Sendable {
    /// Valid as long as this object lives.
    // nonisolated(unsafe) because no thread ever writes to these bytes.
    package nonisolated(unsafe) let body: UnsafeRawBufferPointer
    /// Keeps the bytes of ``body`` in place.
    package let owner: any AnyObject & Sendable
    /// What is sent instead of ``body``.
    let file: (any HitFile)?
    /// Bytes of the body.
    let byteCount: Int
    package let route: HitRoute
    /// With its quotes.
    let entityTag: [UInt8]
    let lastModified: [UInt8]
    private let fields: [UInt8]
    private let contentLength: [UInt8]

    /// - Parameters:
    ///   - body: bytes that stay in place, unchanged, as long as `owner` lives.
    ///   - bodyCount: bytes of the body, if `body` is empty.
    ///   - file: what is sent in place of an empty body.
    ///   - entityTag: with its quotes.
    ///   - lastModified: as the client gets it.
    ///   - fields: header lines that depend on the picture alone, each with CR LF.
    package init(
        body: UnsafeRawBufferPointer, bodyCount: Int? = nil, file: (any HitFile)? = nil,
        owner: any AnyObject & Sendable, entityTag: [UInt8], lastModified: [UInt8], fields: [UInt8]
    ) {
        self.body = body
        self.owner = owner
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.fields = fields
        self.file = file
        route = .picture
        byteCount = bodyCount ?? body.count
        contentLength = Self.contentLength(byteCount)
    }

    /// The response with a stored blob.
    ///
    /// - Parameters:
    ///   - body: as above; empty if it is sent from `file`, or not at all.
    ///   - fields: all header lines except those about the body's length, the connection and the time.
    package init(
        _ route: HitRoute, body: UnsafeRawBufferPointer, file: (any HitFile)?, byteCount: Int,
        owner: any AnyObject & Sendable, entityTag: [UInt8], lastModified: [UInt8],
        fields: [UInt8]
    ) {
        self.route = route
        self.body = body
        self.file = file
        self.byteCount = byteCount
        self.owner = owner
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.fields = fields
        contentLength = Self.contentLength(byteCount)
    }

    private static func contentLength(_ count: Int) -> [UInt8] {
        Array("Content-Length: \(count)\r\n".utf8)
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

    /// Returns the head up to the id of the request.
    func head(_ variant: Variant, _ texts: inout HeadTexts) -> [UInt8] {
        let secondsLeft = variant.freshness.secondsLeft
        var head: [UInt8] = []
        head.reserveCapacity(896)
        if variant.part != nil {
            head += HeadTexts.partialContent
        } else {
            head += variant.isNotModified ? HeadTexts.notModified : HeadTexts.ok
        }
        head += fields
        if route != .picture {
            if !variant.isNotModified { addLength(variant.part, to: &head) }
            if variant.closes { head += ResponseHead.close }
            head += texts.date(variant.second)
            head += HeadTexts.requestID
            return head
        }
        if variant.isNegotiated { head += HeadTexts.vary }
        if !variant.isNotModified { head += contentLength }
        head += variant.freshness.isStale ? texts.stale : texts.hit
        head += HeadTexts.cacheControl
        if let limit = texts.clientLimit {
            head += texts.bounded(secondsLeft, min(limit, variant.linkLeft ?? limit))
            head += HeadTexts.cdnCacheControl
        }
        if let linkLeft = variant.linkLeft {
            head += texts.bounded(secondsLeft, linkLeft)
        } else {
            head += texts.maxAge
            head.append(decimal: max(0, secondsLeft))
            head += texts.staleness
        }
        head += HeadTexts.age
        head.append(decimal: max(0, -secondsLeft))
        head += HeadTexts.lineEnd
        if variant.closes { head += ResponseHead.close }
        head += texts.date(variant.second)
        head += HeadTexts.requestID
        return head
    }

    private func addLength(_ part: Range<Int>?, to head: inout [UInt8]) {
        if route.hasRanges { head += HeadTexts.acceptRanges }
        guard let part else {
            head += contentLength
            return
        }
        head += HeadTexts.contentRange
        head.append(decimal: part.lowerBound)
        head.append(UInt8(ascii: "-"))
        head.append(decimal: part.upperBound - 1)
        head.append(UInt8(ascii: "/"))
        head.append(decimal: byteCount)
        head += HeadTexts.lineEnd
        head += HeadTexts.contentLength
        head.append(decimal: part.count)
        head += HeadTexts.lineEnd
    }
}
