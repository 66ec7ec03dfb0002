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
