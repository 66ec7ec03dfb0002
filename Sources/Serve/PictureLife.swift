import FoundationEssentials
import HTTPTypes
import Pipeline

/// What caches are told of how long a picture lasts.
///
/// `max-age` less `Age` is what is left of its freshness, or, below 0, how long that is over: so caches
/// that serve it stale (RFC 5861) count from when it became so, and none counts an age twice (RFC 9111,
/// section 4.2). Pure.
struct PictureLife {
    /// `Cache-Control`, in the two parts around the seconds that are left.
    let start = "public, max-age="
    let end: String

    init(_ freshness: FreshnessPolicy) {
        end =
            ", stale-while-revalidate=\(Int(freshness.staleWhileRevalidate)), "
            + "stale-if-error=\(Int(freshness.staleIfError))"
    }

    func fields(until: Date, now: Date) -> HTTPFields {
        let left = Int(until.timeIntervalSince(now))
        return [.cacheControl: "\(start)\(max(0, left))\(end)", .age: "\(max(0, -left))"]
    }
}
