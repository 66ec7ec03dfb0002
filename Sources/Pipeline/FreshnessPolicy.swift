package import Catalog
package import FoundationEssentials
import Hashing

/// How long originals stay fresh and failures are remembered, in seconds (RFC 9111). Pure.
package struct FreshnessPolicy: Sendable, Equatable {
    /// Used if the origin sends neither `max-age` nor `Expires`. Posters change rarely, and a
    /// changed one usually gets a new URL.
    package var originalDefault: TimeInterval = 7 * 86_400
    /// Limits of what an origin may ask for. The minimum keeps `max-age=0` from causing a download
    /// for nearly every hit.
    package var originalMin: TimeInterval = 60
    package var originalMax: TimeInterval = 30 * 86_400
    package var absent: TimeInterval = 86_400
    package var unavailable: TimeInterval = 30
    package var rejected: TimeInterval = 3_600
    /// Sent to clients (RFC 5861): a day, so that a page that was open yesterday shows at
    /// once, and a week for an outage. The service itself serves stale pictures without a limit.
    package var staleWhileRevalidate: TimeInterval = 86_400
    package var staleIfError: TimeInterval = 7 * 86_400
    /// How long clients keep a picture, at most; nil for as long as it is fresh or may be shown stale.
    /// Caches in front, which can be purged, keep it that long in any case.
    package var clientLimit: TimeInterval?
    /// Whether `private` of an origin keeps its pictures out of shared caches.
    package var honorsPrivate = true

    package init() {}

    /// The expiry of what an origin allows only private caches to keep. It is stored in place of a date. This
    /// service shows it again for ``originalMin`` at most, as a client of the origin that has many users.
    package static let neverShared = Date(timeIntervalSince1970: 0)

    /// Returns whether a stored expiry is that of something that only private caches may keep.
    package static func isPrivate(_ until: Date) -> Bool { until <= neverShared }

    /// Returns until when an original stays fresh, or ``neverShared``.
    ///
    /// - Parameter field: as for ``lifetime(_:)``.
    func freshUntil(_ field: (String) -> String?, at now: Date) -> Date {
        let isPrivate = CacheControl(field("cache-control") ?? "").isPrivate
        if honorsPrivate, isPrivate { return Self.neverShared }
        return now.addingTimeInterval(lifetime(field))
    }

    /// Returns the seconds for which an original stays fresh after its response arrived.
    ///
    /// - Parameter field: Returns a header field of the response by its lower-case name; the values of several,
    ///   separated by commas.
    package func lifetime(_ field: (String) -> String?) -> TimeInterval {
        let wanted = freshnessLifetime(field).map { lifetime in
            lifetime - TimeInterval(field("age").flatMap { Self.seconds($0) } ?? 0)
        }
        return min(max(wanted ?? originalDefault, originalMin), originalMax)
    }

    /// Larger numbers in header fields are read as this.
    private static let mostSeconds = 1 << 31

    /// Returns the seconds in a header field: digits and nothing else (RFC 9111, section 1.2.2). Returns nil for
    /// a sign, a fraction, an exponent, `nan`.
    static func seconds(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty else { return nil }
        var seconds = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            seconds = min(mostSeconds, seconds * 10 + Int(byte - UInt8(ascii: "0")))
        }
        return seconds
    }

    /// Seconds by which a clock may be set back before stored dates are distrusted.
    static let tolerance: TimeInterval = 60

    /// Returns whether a refresh should run at `now`: what is stored has expired, and no failed refresh is
    /// remembered.
    ///
    /// - Parameter failedUntil: how long the last failure is remembered; nil without one.
    static func wantsRefresh<Time: Comparable>(
        _ freshUntil: Time, _ failedUntil: Time?, at now: Time
    ) -> Bool {
        freshUntil <= now && failedUntil.map { $0 <= now } ?? true
    }

    /// Returns a stored expiry, corrected if it is implausible.
    ///
    /// A record from the future has expired, because its age is unknown. No original stays fresh
    /// for longer than ``originalMax``.
    ///
    /// - Parameter since: when the expiry was stored.
    func believed(_ until: Date, since: Date, now: Date) -> Date {
        guard since <= now.addingTimeInterval(Self.tolerance) else { return min(until, now) }
        if Self.isPrivate(until) { return since.addingTimeInterval(originalMin) }
        return min(until, since.addingTimeInterval(originalMax))
    }

    /// Returns a stored failure. It has expired if it would last longer than its kind is
    /// remembered, which a clock that was ahead or other settings cause.
    func believed(_ failure: Failure, now: Date) -> Failure {
        let longest = max(lifetime(of: failure.kind), unavailable)
        guard failure.until > now.addingTimeInterval(longest + Self.tolerance) else {
            return failure
        }
        var doubted = failure
        doubted.until = now
        return doubted
    }

    /// Returns the seconds for which a failure of that kind is remembered.
    package func lifetime(of kind: Failure.Kind) -> TimeInterval {
        switch kind {
        case .absent, .notFound: absent
        case .rejected, .refused, .withheld, .gone: rejected
        default: unavailable
        }
    }

    /// RFC 9111, section 4.2.1, for a shared cache.
    private func freshnessLifetime(_ field: (String) -> String?) -> TimeInterval? {
        let directives = CacheControl(field("cache-control") ?? "")
        if directives.has("no-store") || directives.has("no-cache") { return 0 }
        if let seconds = directives.seconds("s-maxage") ?? directives.seconds("max-age") {
            return seconds
        }
        guard let expires = field("expires") else { return nil }
        guard let end = HTTPDate.parse(expires),
            let date = field("date").flatMap({ HTTPDate.parse($0) })
        else { return 0 }
        return max(0, end.timeIntervalSince(date))
    }
}

/// The directives of a `Cache-Control` field. Of several with one name the strictest counts (RFC 9111, section
/// 4.2.1).
private struct CacheControl {
    private var values: [String: [String]] = [:]

    init(_ field: String) {
        for part in field.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { half in
                half.trimmingCharacters { $0 == " " || $0 == "\t" || $0 == "\"" }
            }
            guard let name = pair.first?.lowercased(), !name.isEmpty else { continue }
            values[name, default: []].append(pair.count > 1 ? pair[1] : "")
        }
    }

    /// With names of fields it is only about these.
    var isPrivate: Bool { values["private"]?.contains("") ?? false }

    func has(_ name: String) -> Bool { values[name] != nil }

    func seconds(_ name: String) -> TimeInterval? {
        values[name]?.compactMap { value -> TimeInterval? in
            // A negative number means that it has expired.
            if value.hasPrefix("-"), FreshnessPolicy.seconds(value.dropFirst()) != nil { return 0 }
            return FreshnessPolicy.seconds(value).map(TimeInterval.init)
        }.min()
    }
}

extension Substring {
    fileprivate func trimmingCharacters(where unwanted: (Character) -> Bool) -> String {
        var part = self
        while let first = part.first, unwanted(first) { part.removeFirst() }
        while let last = part.last, unwanted(last) { part.removeLast() }
        return String(part)
    }
}
