package import Catalog
package import FoundationEssentials

/// How long originals and failures are believed (RFC 9111). Pure.
package struct FreshnessPolicy: Sendable, Equatable {
    /// Where the origin sends neither `max-age` nor `Expires`: posters change rarely, and a
    /// changed one usually gets a new URL.
    package var originalDefault: TimeInterval = 7 * 86_400
    /// Bounds on what an origin asks for. The lower one is what brakes refreshes: `max-age=0` would else
    /// mean a download for nearly every hit.
    package var originalMin: TimeInterval = 60
    package var originalMax: TimeInterval = 30 * 86_400
    package var absent: TimeInterval = 86_400
    package var unavailable: TimeInterval = 30
    package var rejected: TimeInterval = 3_600
    /// Told to clients (RFC 5861); the service itself serves stale pictures without a limit.
    package var staleWhileRevalidate: TimeInterval = 86_400
    package var staleIfError: TimeInterval = 7 * 86_400

    package init() {}

    /// Seconds an original stays fresh from the moment its answer came.
    ///
    /// `field` returns a header field of the answer by its lower-case name.
    package func lifetime(_ field: (String) -> String?) -> TimeInterval {
        let wanted = freshnessLifetime(field).map { lifetime in
            lifetime - TimeInterval(field("age").flatMap { DeltaSeconds.parse($0) } ?? 0)
        }
        return min(max(wanted ?? originalDefault, originalMin), originalMax)
    }

    /// Seconds that a clock may be set back without anything stored being doubted.
    static let tolerance: TimeInterval = 60

    /// The end of the life that was stored as `until` at `since`, as far as it can be true at `now`.
    ///
    /// What was stored by a clock that was ahead of this one is out of date: nobody knows for how long.
    /// Nothing stays fresh for longer than ``originalMax``.
    func believed(_ until: Date, since: Date, now: Date) -> Date {
        guard since <= now.addingTimeInterval(Self.tolerance) else { return min(until, now) }
        return min(until, since.addingTimeInterval(originalMax))
    }

    /// The remembered failure as far as it can be true at `now`: one that would be remembered for
    /// longer than its kind is, by a clock that was ahead or by other settings, has run out.
    func believed(_ failure: Failure, now: Date) -> Failure {
        let longest = max(lifetime(of: failure.kind), unavailable)
        guard failure.until > now.addingTimeInterval(longest + Self.tolerance) else {
            return failure
        }
        var doubted = failure
        doubted.until = now
        return doubted
    }

    /// Seconds a failure of that kind is remembered.
    package func lifetime(of kind: Failure.Kind) -> TimeInterval {
        switch kind {
        case .absent, .notFound: absent
        case .rejected, .refused: rejected
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
        guard let end = HTTPDate.parse(expires), let date = field("date").flatMap(HTTPDate.parse)
        else { return 0 }
        return max(0, end.timeIntervalSince(date))
    }
}

/// The directives of a `Cache-Control` field.
private struct CacheControl {
    private var values: [String: String] = [:]

    init(_ field: String) {
        for part in field.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { half in
                half.trimmingCharacters { $0 == " " || $0 == "\t" || $0 == "\"" }
            }
            guard let name = pair.first?.lowercased(), !name.isEmpty else { continue }
            values[name] = pair.count > 1 ? pair[1] : ""
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func seconds(_ name: String) -> TimeInterval? {
        guard let value = values[name] else { return nil }
        // Below zero is as good as over.
        if value.hasPrefix("-"), DeltaSeconds.parse(value.dropFirst()) != nil { return 0 }
        return DeltaSeconds.parse(value).map(TimeInterval.init)
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
