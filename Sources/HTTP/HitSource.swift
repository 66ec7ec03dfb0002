/// Supplies prepared responses: the look-up part of the seam between the engine and the rest of
/// the service.
///
/// Called on the engine's threads, so nothing here may block for long. A *record* is an object of the
/// source that belongs to a ``HitOffer``. It comes back to the source that offered it.
package protocol HitSource: AnyObject, Sendable {
    /// Seconds since 1970.
    var now: Double { get }

    /// Lines of response heads that are the same for all hits.
    var headTexts: HeadTexts { get }

    /// Pictures in memory. The table keeps a few targets for each.
    var count: Int { get }

    /// Open files that a table keeps for its entries at most. Those of responses under way are besides.
    var maxFilesOfTable: Int { get }

    /// Increases when a record leaves memory. Tables then drop entries that are not current.
    var retiredCount: Int { get }

    /// Returns the representation that a value of `Accept` leads to; nil stands for no such field.
    ///
    /// The result depends on the bytes alone, so it is remembered.
    func representation(accept: UnsafeRawBufferPointer?) -> UInt8

    /// Returns how many bytes of a target with a query the response depends on; nil if only a
    /// responder can tell. The rest of the query means nothing.
    ///
    /// - Parameter query: where the query begins, after the question mark.
    func significantCount(_ target: UnsafeRawBufferPointer, query: Int) -> Int?

    /// Finds the response to a request target in a representation.
    ///
    /// - Parameters:
    ///   - target: without the part of its query that means nothing.
    ///   - needsBody: whether the body is sent. Without it, nothing is read.
    ///   - sendsFiles: whether the body may be in a file, which is unchanged then.
    ///   - read: has ended, if an earlier call for this request returned ``HitFinding/waits(_:)``.
    func find(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, needsBody: Bool,
        sendsFiles: Bool, after read: (any HitRead)?
    ) -> HitFinding

    /// Returns the document that a request gets; nil if only a responder can tell. Requests
    /// with the same head get the same while its record is current.
    ///
    /// - Parameter head: of a GET without a body, with the fields that documents depend on
    ///   (``RequestScan/PlainRequest``). A request that came through a proxy has an empty `Forwarded`.
    func document(_ head: RequestHead) -> HitOffer?

    /// Returns whether the record is still what a request gets. Any thread, without a lock.
    func isCurrent(_ record: AnyObject) -> Bool

    /// Returns the same for a request that has just arrived: what changed before it counts.
    func mayAnswer(_ record: AnyObject) -> Bool

    /// Notes a use, starts a refresh if one is due and returns the freshness that is left.
    ///
    /// - Parameters:
    ///   - negotiated: the representation that led to the record; 0 if the target names its own.
    ///   - now: seconds since 1970.
    func use(_ record: AnyObject, negotiated: UInt8, at now: Double) -> HitFreshness

    /// Counts `bytes` that a table keeps for a record; negative once it frees them.
    func charge(_ bytes: Int, to record: AnyObject)
}

/// Where the response to a request is.
package enum HitFinding {
    /// In memory. A table can keep it.
    case inMemory(HitOffer)
    /// Read from disk for one response, or made without a body that is not needed.
    case once(HitOffer, HitFreshness)
    /// On disk, and reading it would make the thread wait.
    case waits(any HitRead)
    /// Elsewhere: only a responder can answer.
    case unknown
}

/// A picture that a thread other than the caller's can read.
package protocol HitRead: AnyObject, Sendable {
    /// Reads it, then calls `onEnd`, once and on another thread.
    func start(_ onEnd: @escaping @Sendable () -> Void)
}

/// A prepared response and what its validity depends on.
package struct HitOffer {
    package let record: AnyObject
    let prepared: PreparedHit
    package let isNegotiated: Bool
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
