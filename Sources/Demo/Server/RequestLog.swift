import Glibc

/// Writes a line for each request that arrives: nanoseconds since the log was opened, host, path and
/// query. Any thread.
final class RequestLog: Sendable {
    private let descriptor: Int32
    private let start = ContinuousClock.now

    init(_ path: String) throws(DemoOriginError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .log(path: path, reason: String(cString: strerror(errno)))
        }
    }

    deinit { close(descriptor) }

    func add(_ request: DemoRequest, host: String) {
        let nanoseconds = (ContinuousClock.now - start) / .nanoseconds(1)
        let query = request.queryText.isEmpty ? "" : "?" + request.queryText
        var line = "\(Int(nanoseconds)) \(host) \(request.path)\(query)\n"
        // With one call, so that lines don't mix.
        line.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
    }
}
