import CoreMetrics
import HTTPTypes
import Pipeline

/// Counts requests that responders answer. ``LoopCounters`` count hits in memory or in a known file.
struct RequestMetrics: Sendable {
    static let requests = "vitrine_http_requests_total"
    static let seconds = "vitrine_http_request_seconds"

    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) { self.factory = factory }

    func count(path: String, _ answer: Response, _ duration: Duration) {
        let route = ("route", Self.route(path))
        let cache = ("cache", Self.cache(answer.fields[.cacheStatus]))
        Counter(
            label: Self.requests,
            dimensions: [route, ("status", "\(answer.status.code)"), cache], factory: factory
        ).increment()
        Timer(
            label: Self.seconds, dimensions: [route, cache], factory: factory
        ).recordNanoseconds(duration.nanoseconds)
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
        "metrics": "/metrics", "openapi.json": "/openapi.json", "": "/",
    ]

    /// That of a picture that was made for its request.
    private static let usual = CacheStatus.field(.miss)

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
}
