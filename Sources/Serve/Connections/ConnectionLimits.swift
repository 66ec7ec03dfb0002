import HTTP

extension ServerContext.Limits {
    /// Limits for clients that are slow, idle or ask for too much.
    init(_ configuration: ServerConfiguration) {
        func milliseconds(_ time: Duration) -> Int { Int(time / .milliseconds(1)) }
        let keepAlive = milliseconds(configuration.keepAliveTimeout)
        let head = milliseconds(configuration.headerTimeout)
        let send = milliseconds(configuration.sendTimeout)
        let body = milliseconds(configuration.bodyTimeout)
        let linger = milliseconds(configuration.lingerTimeout)
        self.init(
            keepAlive: keepAlive, head: head, send: send, body: body,
            minBodyRate: configuration.minBodyRate, linger: linger,
            maxLingerBytes: configuration.maxLingerBytes,
            // Most requests and handshakes arrive in a few packets, but a busy machine takes its
            // time to read them.
            dripGrace: min(head / 4, 5_000),
            // An eighth of the shortest limit, so that limits are exceeded by little.
            tick: min(max(min(keepAlive, head, send, body, linger) / 8, 5), 1_000),
            maxHeadBytes: configuration.maxHeaderBytes, maxTargetBytes: configuration.maxTargetBytes
        )
    }
}
