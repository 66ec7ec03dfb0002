/// Supplies prepared responses: the look-up part of the seam between the hit threads and the rest
/// of the service.
///
/// Called on hit threads and on event loops, so nothing here may block for long. A *record* is an
/// object of the source that belongs to a ``HitOffer``. It comes back to the source that offered it.
package protocol HitSource: AnyObject, Sendable {
    /// Seconds since 1970.
    var now: Double { get }

    /// Lines of response heads that are the same for all hits.
    var headTexts: HeadTexts { get }

    /// Pictures in memory. The table keeps a few targets for each.
    var count: Int { get }

    /// Increases when a record leaves memory. Tables then drop entries that are not current.
    var retiredCount: Int { get }

    /// Returns the representation that a value of `Accept` leads to; nil stands for no such field.
    ///
    /// The result depends on the bytes alone, so it is remembered.
    func representation(accept: UnsafeRawBufferPointer?) -> UInt8

    /// Returns the response to a request target in a representation, or nil if it is not in memory
    /// or the target needs the general server.
    func offer(_ target: UnsafeRawBufferPointer, _ representation: UInt8) -> HitOffer?

    /// Returns whether the record is still what a request gets. Any thread, without a lock.
    func isCurrent(_ record: AnyObject) -> Bool

    /// Notes a use, starts a refresh if one is due and returns the freshness that is left.
    ///
    /// - Parameter now: seconds since 1970.
    func use(_ record: AnyObject, at now: Double) -> HitFreshness

    /// Counts `bytes` that a table keeps for a record; negative once it frees them.
    func charge(_ bytes: Int, to record: AnyObject)
}

/// A prepared response and what its validity depends on.
package struct HitOffer {
    let record: AnyObject
    let prepared: PreparedHit
    let isNegotiated: Bool
    let expires: Int?

    /// - Parameters:
    ///   - isNegotiated: whether the response depends on `Accept`.
    ///   - expires: seconds since 1970 at which the target stops being valid; nil for never.
    package init(
        record: AnyObject, prepared: PreparedHit, isNegotiated: Bool, expires: Int?
    ) {
        self.record = record
        self.prepared = prepared
        self.isNegotiated = isNegotiated
        self.expires = expires
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

/// A served hit, for the access log.
package struct HitLogEntry: Sendable {
    package var isHead: Bool
    /// Without the query.
    package var path: String
    package var status: Int
    /// Bytes of the body that was sent.
    package var bytes: Int
    package var isStale: Bool
    /// Address of the other end; nil if it is unknown.
    package var client: String?

    /// - Parameter bytes: begin with the request.
    package init(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer,
        _ answer: HitLookup.Answer, client: String?
    ) {
        isHead = answer.isHead
        path = String(
            decoding: bytes[request.target].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        status = answer.status
        self.bytes = answer.bodySize
        isStale = answer.isStale
        self.client = client
    }
}
