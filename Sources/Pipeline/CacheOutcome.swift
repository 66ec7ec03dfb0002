/// How an answer came about, for `Cache-Status` (RFC 9211).
package enum CacheOutcome: String, Sendable {
    case hit
    /// Made for this request.
    case miss
    /// Made for another request that was under way.
    case collapsed
    /// Asked for anew for this request, in place of one past its freshness.
    case renewed
    /// Served past its freshness.
    case stale
}
