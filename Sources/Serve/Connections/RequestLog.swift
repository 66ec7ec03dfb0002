import Catalog
import HTTP
import HTTPTypes
import Hashing
import Logging
import Pipeline
import Traces

/// One log line per request. Only the path is logged, because the query may hold search terms.
struct RequestLog {
    var method: String
    var path: String
    var status: Int
    /// Bytes of the body that is sent.
    var bytes: Int
    var cache: String
    var duration = Duration.zero
    var identity: RequestIdentity?
    /// Address of the other end, which may be a proxy.
    var client: String?
    /// Why the service failed. Only the log may show it.
    var cause: String?

    /// Returns the path without the URL and the signature of `/t/{level}/url/…`, because either may
    /// be secret.
    ///
    /// What is hidden is decided after decoding, because `url` can be spelled with percent-encoded letters, and
    /// the slashes behind it, too. Segments that can't be decoded are hidden with all that follows: they lead
    /// nowhere, and may be a misspelled signature.
    static func shown(_ path: String) -> String {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for segment in segments {
            let start = path[..<segment.startIndex]
            guard let text = decoded(segment) else { return start + "…" }
            let names = text.split(separator: "/").map { $0.prefix(while: isOfName).lowercased() }
            if names.contains(SignedURL.name) { return start + "\(SignedURL.name)/…" }
        }
        return path
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isASCII
            && (character.isLetter || character.isNumber || character == "-" || character == "_")
    }

    /// Encodings of a segment that are undone. It has one, and a second one by mistake.
    private static let maxCodings = 3

    /// Returns a segment without any of its encodings; nil if the first is broken, or if there are more than
    /// ``maxCodings``.
    private static func decoded(_ segment: Substring) -> String? {
        guard var text = PercentCoding.decoded(segment) else { return nil }
        for _ in 1..<maxCodings {
            guard text.contains("%") else { return text }
            // Other percent signs may be a part of the name, such as that of a file.
            text.replace(/%[0-9A-Fa-f]{2}/) { PercentCoding.decoded($0.output) ?? "\($0.output)" }
        }
        return text.contains(/%[0-9A-Fa-f]{2}/) ? nil : text
    }

    /// Paths that monitoring and the gallery request every few seconds.
    private static let probes: Set = [
        "/healthz", "/readyz", "/metrics", "/v1/status", "/v1/history",
    ]

    private var route: String { RequestMetrics.route(path) }

    /// Server errors are logged even when access logging is off.
    func write(_ logger: Logger, _ access: AccessLog) {
        if status == 500 || cause != nil { return write(logger, .error) }
        let isGoodProbe = status < 400 && Self.probes.contains(path)
        write(logger, access == .off || isGoodProbe ? .debug : .info)
    }

    private func write(_ logger: Logger, _ level: Logger.Level) {
        guard logger.logLevel <= level else { return }
        let microseconds = (duration / .microseconds(1)).rounded(.down)
        var metadata: Logger.Metadata = [
            "method": "\(method)", "route": "\(route)",
            "path": "\(Self.shown(path))", "status": .stringConvertible(status),
            "bytes": .stringConvertible(bytes), "cache": "\(cache)",
            "ms": .stringConvertible(microseconds / 1_000),
        ]
        if let identity { metadata["request"] = "\(identity.id)" }
        if let trace = identity?.trace { metadata["trace"] = "\(trace)" }
        if let client { metadata["client"] = "\(client)" }
        if let cause { metadata["cause"] = "\(cause)" }
        logger.log(level: level, "request", metadata: metadata)
    }

    /// Logs a hit; the caller has checked that hits are logged.
    func writeHit(_ logger: Logger) { write(logger, logger.logLevel <= .debug ? .debug : .info) }
}

extension RequestLog {
    init(_ hit: HitLogEntry) {
        self.init(
            method: hit.isHead ? "HEAD" : "GET", path: hit.path, status: hit.status,
            bytes: hit.bytes, cache: (hit.isStale ? CacheOutcome.stale : .hit).cacheStatus,
            identity: RequestIdentity(id: hit.requestID), client: hit.client)
    }

    /// A request that is refused before it is understood.
    ///
    /// - Parameter start: its first bytes.
    init(refused start: [UInt8], status: Int, _ identity: RequestIdentity, client: String?) {
        let line = start.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
            .map { String(decoding: $0.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self) }
        let isRequest = words.count > 1 && words[1].hasPrefix("/")
        self.init(
            method: isRequest ? words[0] : "-", path: isRequest ? words[1] : "-", status: status,
            bytes: 0, cache: "-", identity: identity, client: client)
    }
}

/// Identifies a request in logs and responses: by the client's `X-Request-Id` or a generated id,
/// and by its trace (W3C Trace Context).
struct RequestIdentity: Sendable, Equatable {
    let id: String
    /// The client's span; nil without a valid `traceparent`.
    let context: TraceContext?
    /// The trace id of 32 hexadecimal digits: the client's or, of a traced request without one, its own.
    var trace: String?

    init(id: String) {
        self.id = id
        context = nil
    }

    init(_ fields: HTTPFields) {
        let given = fields[.xRequestID].flatMap { RequestID.isUsable($0.utf8) ? $0 : nil }
        id = given ?? RequestID.random
        context = fields[.traceParent].flatMap {
            TraceContext(parent: $0, state: fields[.traceState])
        }
        trace = context?.traceID
    }
}
