/// What the rest of the service does for the loop, and what limits it.
package struct ServerContext: Sendable {
    var limits: Limits
    var budget: ConnectionBudget
    var counters: HitCounters
    var reports: Reports
    /// Answers what no hit answers.
    var responder: any RequestResponder
    /// Bounds the requests that ``responder`` has.
    var responders: ResponderBudget
    /// Returns nanoseconds of the monotonic clock by which timeouts are measured; nil for the system's.
    var uptime: (@Sendable () -> UInt64)?

    package init(
        limits: Limits, budget: ConnectionBudget, counters: HitCounters, reports: Reports,
        responder: any RequestResponder, responders: ResponderBudget,
        uptime: (@Sendable () -> UInt64)? = nil
    ) {
        self.limits = limits
        self.budget = budget
        self.counters = counters
        self.reports = reports
        self.responder = responder
        self.responders = responders
        self.uptime = uptime
    }
}

extension ServerContext {
    /// What a client may cost that is slow, idle or asks for too much. Durations are milliseconds.
    package struct Limits: Sendable {
        package var keepAlive: Int
        package var head: Int
        /// How long a client may take next to nothing of its responses.
        package var send: Int
        package var body: Int
        /// Bytes per second.
        package var minBodyRate: Int
        /// How long the rest of a request is dropped after its response.
        package var linger: Int
        package var maxLingerBytes: Int
        /// How long a request may be incomplete before its connection can be closed for others.
        package var dripGrace: Int
        /// Time between two checks of all connections.
        package var tick: Int
        package var maxHeadBytes: Int
        package var maxTargetBytes: Int

        package init(
            keepAlive: Int, head: Int, send: Int, body: Int, minBodyRate: Int, linger: Int,
            maxLingerBytes: Int, dripGrace: Int, tick: Int, maxHeadBytes: Int, maxTargetBytes: Int
        ) {
            self.keepAlive = keepAlive
            self.head = head
            self.send = send
            self.body = body
            self.minBodyRate = minBodyRate
            self.linger = linger
            self.maxLingerBytes = maxLingerBytes
            self.dripGrace = dripGrace
            self.tick = tick
            self.maxHeadBytes = maxHeadBytes
            self.maxTargetBytes = maxTargetBytes
        }
    }

    /// Where the threads report what they do. Called on the thread.
    package struct Reports: Sendable {
        /// Returns whether hits are logged now.
        var logsHits: @Sendable () -> Bool
        var logHit: @Sendable (HitLogEntry) -> Void
        /// A thread can't accept connections; it keeps trying.
        var acceptFailed: @Sendable (SystemError) -> Void
        /// A TLS connection ended before its time.
        var tlsFailed: @Sendable (TLSFault) -> Void
        /// A client asked for a name that the certificate is not for. It is answered all the same.
        var otherName: @Sendable (String) -> Void

        package init(
            logsHits: @escaping @Sendable () -> Bool,
            logHit: @escaping @Sendable (HitLogEntry) -> Void,
            acceptFailed: @escaping @Sendable (SystemError) -> Void,
            tlsFailed: @escaping @Sendable (TLSFault) -> Void = { _ in },
            otherName: @escaping @Sendable (String) -> Void = { _ in }
        ) {
            self.logsHits = logsHits
            self.logHit = logHit
            self.acceptFailed = acceptFailed
            self.tlsFailed = tlsFailed
            self.otherName = otherName
        }
    }
}

/// A served hit, for the access log.
package struct HitLogEntry: Sendable {
    package var isHead: Bool
    /// Without the query.
    package var path: String
    package var status: Int
    /// Bytes of the body that was sent.
    package var bytes: Int
    package var isStale: Bool
    /// Address of the other end; nil if it is unknown.
    package var client: String?
    package var requestID: String

    /// - Parameter bytes: begin with the request.
    package init(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer,
        _ answer: HitLookup.Answer, _ id: RequestID, client: String?
    ) {
        requestID = id.text
        isHead = answer.isHead
        path = String(
            decoding: bytes[request.target].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        status = answer.status
        self.bytes = answer.bodySize
        isStale = answer.isStale
        self.client = client
    }
}
