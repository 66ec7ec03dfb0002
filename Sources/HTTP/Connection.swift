/// A connection that has more than its socket: a part of a request, a response under way, or bytes to send.
/// One that waits for its next request has no such object. Belongs to the loop's thread.
final class Connection {
    enum State {
        /// The next bytes are the head of a request.
        case open
        /// Its next response waits for the disk. The number tells the read from earlier ones.
        case parked(DiskWait, number: Int)
        /// A responder has its request.
        case answering(Exchange)
        /// Its request is answered, and the rest of that one's body is dropped.
        case dropping(IncomingBody)
        /// The last response is being sent. No further request is answered.
        case ending(lingers: Bool)
        /// That response is sent. Further bytes are dropped, so that the client can read it (RFC 9112,
        /// section 9.6).
        case lingering(dropped: Int)

        /// Whether another state may follow. After the last response nothing is answered any more.
        func mayBecome(_ next: State) -> Bool {
            switch (self, next) {
            case (.ending, .ending), (.ending, .lingering), (.lingering, .ending),
                (.lingering, .lingering):
                true
            case (.ending, _), (.lingering, _): false
            // A response is whole before the rest of its request is dropped.
            case (.parked, .dropping), (.open, .dropping), (.dropping, .dropping): false
            case (.dropping, .parked), (.dropping, .answering): false
            default: true
            }
        }
    }

    let file: CInt
    /// Tells connections apart that had the same descriptor.
    let number: Int
    var state = State.open
    /// Bytes that were read and not dealt with.
    var inbound: [UInt8] = []
    var output: SendQueue
    /// Whether bytes, or the end of the stream, may have arrived that were not read.
    var hasUnread = false
    /// Whether the client sends nothing more.
    var isInputClosed = false
    /// When the state began that timeouts count from.
    var since: Int

    init(_ file: CInt, _ number: Int, _ output: SendQueue? = nil, at now: Int) {
        self.file = file
        self.number = number
        self.output = output ?? SendQueue(at: now)
        since = now
    }

    var exchange: Exchange? { if case .answering(let exchange) = state { exchange } else { nil } }

    /// Whether it takes a place in memory only because a request is incomplete.
    var isIdle: Bool {
        guard case .open = state else { return false }
        return output.isEmpty && inbound.isEmpty
    }

    /// Whether the rest of a request has been missing for longer than with normal clients, so that the
    /// connection can be closed for others.
    func isDripping(at now: Int, _ limits: ServerContext.Limits) -> Bool {
        guard output.isEmpty else { return false }
        let isLate = now - since > limits.dripGrace
        switch state {
        case .open, .dropping: return isLate
        case .answering(let exchange): return exchange.body.isDripping
        case .parked, .ending: return false
        case .lingering: return true
        }
    }

    /// What is due.
    enum Verdict {
        case stays
        /// The head, or the body, comes too slowly.
        case headIsTooSlow, bodyIsTooSlow
        case aborts(isTimeOut: Bool)
    }

    /// Checks at every tick.
    func verdict(_ transport: Transport, at now: Int, _ limits: ServerContext.Limits) -> Verdict {
        if output.isStuck(transport, at: now, for: limits.send) { return .aborts(isTimeOut: true) }
        exchange?.body.advance(to: now, isAwaited: !hasUnread)
        guard output.isEmpty else { return .stays }
        let waited = now - since
        switch state {
        case .open: return waited > limits.head ? .headIsTooSlow : .stays
        case .answering(let exchange): return exchange.body.isTooSlow ? .bodyIsTooSlow : .stays
        case .dropping: return waited > limits.linger ? .aborts(isTimeOut: true) : .stays
        case .lingering: return waited > limits.linger ? .aborts(isTimeOut: false) : .stays
        case .parked, .ending: return .stays
        }
    }
}
