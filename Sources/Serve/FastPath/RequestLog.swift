import Logging

/// One line a request; the query may hold what people search for, so only the path is logged.
enum RequestLog {
    /// Without the URL and the signature of `/t/{level}/url/…`: either may be secret.
    private static func shown(_ path: String) -> Substring {
        path.firstRange(of: "/url/").map { Substring(path[..<$0.upperBound] + "…") } ?? path[...]
    }

    static func write(
        _ logger: Logger, method: String, path: @autoclosure () -> String, status: Int, bytes: Int,
        cache: String, _ duration: Duration, _ identity: RequestIdentity? = nil
    ) {
        // What the service is to blame for is told whether or not requests are.
        let isFault = status == 500
        guard isFault || logger.logLevel <= .debug else { return }
        let milliseconds =
            duration.components.seconds * 1_000
            + duration.components.attoseconds / 1_000_000_000_000_000
        var metadata: Logger.Metadata = [
            "method": "\(method)", "path": "\(shown(path()))", "status": "\(status)",
            "bytes": "\(bytes)", "cache": "\(cache)", "ms": "\(milliseconds)",
        ]
        if let identity { metadata["request"] = "\(identity.id)" }
        if let trace = identity?.trace { metadata["trace"] = "\(trace)" }
        logger.log(level: isFault ? .error : .debug, "request", metadata: metadata)
    }

    /// A hit; `bytes` begin with its request.
    static func write(
        _ logger: Logger, _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer,
        _ answer: HitLookup.Answer
    ) {
        write(
            logger, method: answer.isHead ? "HEAD" : "GET",
            path: String(decoding: bytes[request.target], as: UTF8.self), status: answer.status,
            bytes: answer.variant.isNotModified ? 0 : answer.entry.body.count,
            cache: CacheStatus.field(answer.variant.outcome), .zero)
    }
}
