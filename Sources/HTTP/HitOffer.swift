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
