/// What the rest of the service does for the loop.
package struct HitContext: Sendable {
    var limits: Limits
    /// Whether connections begin with a TLS handshake and are therefore handed over at once.
    var isEncrypted: Bool
    var budget: ConnectionBudget
    var counters: HitCounters
    var precedence: Precedence
    var reports: Reports
    /// Takes over a connection.
    var handOver: @Sendable (Handover) -> Void
    /// Closes that many of the connections that were handed over and drip or are idle.
    var closeIdle: @Sendable (_ dripping: Int, _ idle: Int) -> Void

    package init(
        limits: Limits, isEncrypted: Bool, budget: ConnectionBudget, counters: HitCounters,
        precedence: Precedence, reports: Reports,
        handOver: @escaping @Sendable (Handover) -> Void,
        closeIdle: @escaping @Sendable (_ dripping: Int, _ idle: Int) -> Void
    ) {
        self.limits = limits
        self.isEncrypted = isEncrypted
        self.budget = budget
        self.counters = counters
        self.precedence = precedence
        self.reports = reports
        self.handOver = handOver
        self.closeIdle = closeIdle
    }
}

extension HitContext {
    /// What a client may cost that is slow, idle or asks for too much. Durations are milliseconds.
    package struct Limits: Sendable {
        var keepAlive: Int
        var head: Int
        /// How long a client may take next to nothing of a file.
        var send: Int
        /// How long a connection may be without a request before it can be closed for others.
        var dripGrace: Int
        /// Time between two checks of all connections.
        var tick: Int
        var maxHeadBytes: Int
        var maxTargetBytes: Int

        package init(
            keepAlive: Int, head: Int, send: Int, dripGrace: Int, tick: Int, maxHeadBytes: Int,
            maxTargetBytes: Int
        ) {
            self.keepAlive = keepAlive
            self.head = head
            self.send = send
            self.dripGrace = dripGrace
            self.tick = tick
            self.maxHeadBytes = maxHeadBytes
            self.maxTargetBytes = maxTargetBytes
        }
    }

    /// Where hit threads report what they do. Called on the thread.
    package struct Reports: Sendable {
        /// Returns whether hits are logged now.
        var logsHits: @Sendable () -> Bool
        var logHit: @Sendable (HitLogEntry) -> Void
        /// Records that so many fresh and stale responses took `seconds` each.
        var recordLatency: @Sendable (_ seconds: Double, _ fresh: Int, _ stale: Int) -> Void
        /// Records that a response of another route than pictures was ready after `seconds`.
        var recordBlob: @Sendable (_ route: HitRoute, _ seconds: Double, _ isStale: Bool) -> Void
        /// A thread can't accept connections; it keeps trying.
        var acceptFailed: @Sendable (SystemError) -> Void

        package init(
            logsHits: @escaping @Sendable () -> Bool,
            logHit: @escaping @Sendable (HitLogEntry) -> Void,
            recordLatency:
                @escaping @Sendable (_ seconds: Double, _ fresh: Int, _ stale: Int) -> Void,
            recordBlob:
                @escaping @Sendable (_ route: HitRoute, _ seconds: Double, _ isStale: Bool) -> Void,
            acceptFailed: @escaping @Sendable (SystemError) -> Void
        ) {
            self.logsHits = logsHits
            self.logHit = logHit
            self.recordLatency = recordLatency
            self.recordBlob = recordBlob
            self.acceptFailed = acceptFailed
        }
    }
}
