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

    /// Checks at every tick, and counts clients and streams that took too long. Returns whether the client
    /// is cut off; otherwise the caller sends next.
    func isCutOff(_ transport: Transport, _ context: ServerContext, at now: Int) -> Bool {
        self.now = now
        let (limits, counters) = (context.limits, context.counters)
        if isStuck(transport, limits) {
            counters.timedOut.add()
            return true
        }
        if isClosing { return false }
        if let frameBegan, now - frameBegan > limits.head {
            // A connection that got GOAWAY is counted already.
            if !isQuiescing { counters.timedOut.add() }
            return true
        }
        for stream in Array(streams.values) {
            let isTooSlow = stream.isTooSlow(
                at: now, limits, isLineFull: !unsent.isEmpty, sentByAll: session?.sent ?? 0
            ) { session?.hasWindow(stream.id) ?? false }
            guard isTooSlow else { continue }
            counters.timedOut.add()
            reset(stream, NGHTTP2_CANCEL)
        }
        guard streams.isEmpty else { return false }
        let waited = now - since
        // The client has not acknowledged GOAWAY.
        if isQuiescing { return waited > limits.head }
        if waited > (hasServed ? limits.keepAlive : limits.head) {
            counters.timedOut.add()
            quiesce(at: now)
        }
        return false
    }

    /// Returns whether bytes wait, here or in the kernel, and the client took next to nothing for too long.
    private func isStuck(_ transport: Transport, _ limits: ServerContext.Limits) -> Bool {
        let unacknowledged = transport.unacknowledged
        let taken = sent - unacknowledged
        let hasTakenAll = unsent.isEmpty && unacknowledged == 0
        if hasTakenAll || taken - progress.bytes >= SendQueue.leastProgress {
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
