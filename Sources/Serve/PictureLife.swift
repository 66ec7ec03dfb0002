import FoundationEssentials
import HTTPTypes
import Pipeline

/// The cache lifetime of a picture, as header fields. Pure.
///
/// `max-age` minus `Age` is the freshness that is left. It is negative once the picture is stale.
/// Caches that serve it stale (RFC 5861) therefore count from that moment, and no cache counts an
/// age twice (RFC 9111, section 4.2).
struct PictureLife {
    /// `Cache-Control`, in two parts around the seconds of freshness that are left.
    let start = "public, max-age="
    let end: String
    private let whileRevalidate: Int
    private let ifError: Int

    init(_ freshness: FreshnessPolicy) {
        whileRevalidate = Int(freshness.staleWhileRevalidate)
        ifError = Int(freshness.staleIfError)
        end = Self.end(whileRevalidate, ifError)
    }

    /// - Parameter linkEnds: when the picture's URL expires. Caches don't keep it longer.
    func fields(until: Date, now: Date, linkEnds: Date? = nil) -> HTTPFields {
        let left = Int(until.timeIntervalSince(now))
        let control =
            linkEnds.map { bounded(left: left, linkLeft: Int($0.timeIntervalSince(now))) }
            ?? "\(start)\(max(0, left))\(end)"
        return [.cacheControl: control, .age: "\(max(0, -left))"]
    }

    /// Returns `Cache-Control` of a picture whose URL is valid for `linkLeft` more seconds.
    func bounded(left: Int, linkLeft: Int) -> String {
        let linkLeft = max(0, linkLeft)
        // Caches count from when the picture became stale, or will.
        let stale = max(0, linkLeft - left)
        return "\(start)\(min(max(0, left), linkLeft))"
            + Self.end(min(whileRevalidate, stale), min(ifError, stale))
    }

    private static func end(_ whileRevalidate: Int, _ ifError: Int) -> String {
        ", stale-while-revalidate=\(whileRevalidate), stale-if-error=\(ifError)"
    }
}
