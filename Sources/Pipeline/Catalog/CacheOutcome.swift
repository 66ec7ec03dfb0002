import Catalog

/// How a response was obtained, for `Cache-Status` (RFC 9211).
package enum CacheOutcome: String, Sendable {
    case hit
    /// Made for this request.
    case miss
    /// Made for another request in flight.
    case collapsed
    /// Fetched again for this request, because the stored one had expired.
    case renewed
    /// Served although it had expired.
    case stale
}
