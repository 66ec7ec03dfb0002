package import FoundationEssentials

/// How long originals and failures are believed (RFC 9111). Pure.
package struct FreshnessPolicy: Sendable, Equatable {
    /// Where the origin sends neither `max-age` nor `Expires`: posters change rarely, and a
    /// changed one usually gets a new URL.
    package var originalDefault: TimeInterval = 7 * 86_400
    /// Bounds on what an origin asks for.
    package var originalMin: TimeInterval = 0
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
            lifetime - (field("age").flatMap(TimeInterval.init) ?? 0)
        }
        return min(max(wanted ?? originalDefault, originalMin), originalMax)
    }

    /// Seconds a failure of that kind is remembered.
    package func lifetime(of kind: Failure.Kind) -> TimeInterval {
        switch kind {
        case .absent: absent
        case .unavailable, .timedOut: unavailable
        case .rejected, .refused: rejected
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
        values[name].flatMap(Int.init).map { TimeInterval(max(0, $0)) }
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
