import CNghttp2

/// How long a connection lasts.
extension HTTP2Connection {
    /// Whether it waits for its next request.
    var isIdle: Bool {
        streams.isEmpty && frameBegan == nil && hasServed && !isQuiescing && unsent.isEmpty
    }

    /// Whether the rest of its requests has been missing for longer than with normal clients.
    func isDripping(at now: Int, _ limits: ServerContext.Limits) -> Bool {
        guard unsent.isEmpty, !isIdle, !isClosing else { return false }
        return now - (frameBegan ?? since) > limits.dripGrace
            && streams.values.allSatisfy { $0.isDripping(limits) }
    }

    /// What a check has found.
    struct Check {
        /// Clients or streams that took too long.
        var timedOut = 0
        /// Whether the client is cut off.
        var aborts = false
    }

    /// Checks at every tick. The caller sends next.
    func check(
        _ transport: Transport, _ limits: ServerContext.Limits, at now: Int
    ) -> Check {
        self.now = now
        if isStuck(transport, limits) { return Check(timedOut: 1, aborts: true) }
        if isClosing { return Check() }
        if let frameBegan, now - frameBegan > limits.head {
            // A connection that got GOAWAY is counted already.
            return Check(timedOut: isQuiescing ? 0 : 1, aborts: true)
        }
        var check = Check()
        let line = HTTP2Stream.Line(
            isFull: !unsent.isEmpty, sent: session?.sent ?? 0, most: Self.bytesInLine)
        for stream in Array(streams.values) {
            let isTooSlow = stream.isTooSlow(at: now, limits, line) {
                session?.hasWindow(stream.id) ?? false
            }
            guard isTooSlow else { continue }
            check.timedOut += 1
            reset(stream, NGHTTP2_CANCEL)
        }
        guard streams.isEmpty else { return check }
        let waited = now - since
        if isQuiescing {
            // The client has not acknowledged GOAWAY.
            check.aborts = waited > limits.head
        } else if waited > (hasServed ? limits.keepAlive : limits.head) {
            check.timedOut += 1
            quiesce(at: now)
        }
        return check
    }

    /// Returns whether bytes wait and the client took next to nothing for too long.
    private func isStuck(_ transport: Transport, _ limits: ServerContext.Limits) -> Bool {
        let taken = sent - transport.unacknowledged
        if unsent.isEmpty || taken - progress.bytes >= SendQueue.leastProgress {
            progress = (now, max(progress.bytes, taken))
            return false
        }
        return now - progress.time > limits.send
    }

    /// Sends GOAWAY. Running streams are answered, and no further ones begin.
    func quiesce(at now: Int) {
        guard !isQuiescing else { return }
        isQuiescing = true
        since = now
        session?.startShutdown()
    }
}
