import Catalog
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
    /// Seconds that clients keep a picture, at most. Caches in front get a field of their own then
    /// (RFC 9213).
    let clientLimit: Int?

    init(_ freshness: FreshnessPolicy) {
        clientLimit = freshness.clientLimit.map { Int($0) }
        whileRevalidate = Int(freshness.staleWhileRevalidate)
        ifError = Int(freshness.staleIfError)
        end = Self.end(whileRevalidate, ifError)
    }

    /// - Parameters:
    ///   - linkEnds: when the picture's URL expires. Caches don't keep it longer.
    ///   - isPrivate: whether only private caches may keep it, and ask each time.
    func fields(
        until: Date, now: Date, linkEnds: Date? = nil, isPrivate: Bool = false
    ) -> HTTPFields {
        if isPrivate { return [.cacheControl: "private, no-cache"] }
        let left = Int(until.timeIntervalSince(now))
        let linkLeft = linkEnds.map { Int($0.timeIntervalSince(now)) }
        let control =
            linkLeft.map { bounded(left: left, linkLeft: $0) }
            ?? "\(start)\(max(0, left))\(end)"
        var fields: HTTPFields = [.cacheControl: control, .age: "\(max(0, -left))"]
        if let clientLimit {
            fields[.cdnCacheControl] = control
            fields[.cacheControl] = bounded(
                left: left, linkLeft: min(clientLimit, linkLeft ?? clientLimit))
        }
        return fields
    }

    /// Returns the fields of a placeholder, which is never shown stale.
    func fields(of failure: Failure, maxAge: Int) -> HTTPFields {
        // The next request may find the rest of it.
        if failure.kind == .unfinished { return [.cacheControl: "no-store"] }
        guard let clientLimit, clientLimit < maxAge else {
            return [.cacheControl: "\(start)\(maxAge)"]
        }
        return [
            .cacheControl: "\(start)\(clientLimit)", .cdnCacheControl: "\(start)\(maxAge)",
        ]
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

extension MediaPipeline {
    /// Returns the lifetime of a picture, see ``PictureLife/fields(until:now:linkEnds:isPrivate:)``.
    func lifeFields(
        until: Date, linkEnds: Date? = nil, isPrivate: Bool = false
    ) -> HTTPFields {
        PictureLife(configuration.freshness).fields(
            until: until, now: now(), linkEnds: linkEnds, isPrivate: isPrivate)
    }
}

extension HTTPField.Name {
    static let cdnCacheControl = constant("CDN-Cache-Control")
}
