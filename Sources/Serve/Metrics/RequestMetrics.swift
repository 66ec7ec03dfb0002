import HTTP
import HTTPTypes
import Metrics
import Pipeline
import Threads

/// Counts responses: those of responders, and those that the threads of connections sent from
/// prepared bytes.
struct RequestMetrics: Sendable {
    private let counts = Labeled { Counter() }
    private let seconds = Labeled { Histogram() }
    private let threads: [HitCounters]

    /// - Parameter threads: their counts.
    init(_ threads: [HitCounters]) { self.threads = threads }

    /// Counts the response of a responder.
    func count(path: String, _ answer: Response, _ duration: Duration) {
        let route = Self.route(path)
        let cache = Self.cache(answer.fields[.cacheStatus])
        counts[cache, route, "\(answer.status.code)"].add()
        seconds[cache, route].record(duration)
    }

    /// Responses since the start by cache result, route and status.
    private var responses: [[String]: Int] {
        eachPrepared(counts.all.mapValues(\.value)) { all, labels, prepared, isPicture in
            for (status, count) in [
                ("200", prepared.whole.now), ("206", prepared.partial.now),
                ("304", prepared.notModified.now),
                // Series that exist from the beginning show in rates what they count first.
            ] where count > 0 || isPicture && status != "206" {
                all[labels + [status], default: 0] += count
            }
        }
    }

    private var durations: [[String]: Histogram.Counts] {
        eachPrepared(seconds.all.mapValues(\.counts)) { all, labels, prepared, isPicture in
            let counts = prepared.seconds.counts
            if isPicture || !counts.isEmpty { all[labels, default: Histogram.Counts()] += counts }
        }
    }

    /// Adds the prepared responses of all threads to what responders sent.
    private func eachPrepared<Value>(
        _ sent: [[String]: Value],
        _ add: (
            _ all: inout [[String]: Value], _ labels: [String], HitCounters.Responses,
            _ isPicture: Bool
        ) -> Void
    ) -> [[String]: Value] {
        var all = sent
        for thread in threads {
            for route in HitRoute.allCases {
                for isStale in [false, true] {
                    let labels = [Self.cache(route, isStale: isStale), "\(route.prefix)"]
                    add(
                        &all, labels, thread.responses(route, isStale: isStale), route == .picture)
                }
            }
        }
        return all
    }

    func write(to text: inout MetricText) {
        text.counters(
            "vitrine_http_requests_total", "Requests by route, status and cache result.",
            by: ["cache", "route", "status"], responses)
        text.histograms(
            "vitrine_http_request_seconds", "Duration of requests by route and cache result.",
            by: ["cache", "route"], durations)
    }

    /// Requests since the start: all, those for thumbnails, and those of them that were answered
    /// from memory or disk.
    var totals: (all: Int, pictures: Int, hits: Int) {
        responses.reduce(into: (0, 0, 0)) { totals, response in
            let (cache, route) = (response.key[0], response.key[1])
            totals.0 += response.value
            guard route == "/t/" else { return }
            totals.1 += response.value
            if ["hit", "stale", "renewed"].contains(cache) { totals.2 += response.value }
        }
    }

    /// Returns one of a few fixed names, whatever the path is.
    static func route(_ path: String) -> String {
        let first = path.dropFirst().prefix { $0 != "/" }
        return routes[String(first)] ?? "other"
    }

    private static let routes = [
        "t": "/t/", "o": "/o/", "b": "/b/", "v1": "/v1/", "sheet": "/sheet/",
        "iiif": "/iiif/",
        "admin": "/admin/", "healthz": "/healthz", "readyz": "/readyz",
        "metrics": "/metrics", "openapi.json": "/openapi.json",
        "robots.txt": "/robots.txt", "": "/",
    ]

    /// That of a picture that was made for its request.
    private static let usual = CacheOutcome.miss.cacheStatus

    /// Summarizes `Cache-Status` (RFC 9211) in one word.
    static func cache(_ field: String?) -> String {
        guard let field else { return "none" }
        if field == usual { return "miss" }
        if field.contains("; hit") { return "hit" }
        if field.contains("collapsed") { return "collapsed" }
        if field.contains("fwd=stale; stored") { return "renewed" }
        if field.contains("fwd=stale") { return "stale" }
        return "miss"
    }

    /// Constant documents are in no cache, and have no `Cache-Status`.
    private static func cache(_ route: HitRoute, isStale: Bool) -> String {
        switch route {
        case .gallery, .description: "none"
        case .picture, .original, .blob, .sheet, .catalog: isStale ? "stale" : "hit"
        }
    }
}
