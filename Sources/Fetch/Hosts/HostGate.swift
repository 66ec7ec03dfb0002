import Threads

/// Decides which transfers may start: per-host rate, concurrency and health, and a limit over all.
///
/// Transfers that clients wait for go before those of runs, at each host and among the hosts.
///
/// A state machine, pure but for rates that are shared with other processes. libcurl has limits of
/// its own, but what waits inside libcurl already counts against its timeouts; here a transfer
/// exists only when it may run.
struct HostGate {
    typealias Instant = ContinuousClock.Instant
    typealias Ticket = HostQueue.Ticket

    struct Turn: Equatable {
        /// Tickets that start now, in this order.
        var start: [Ticket] = []
        /// Tickets that are rejected, and why.
        var refused: [Ticket: FetchError.Cause] = [:]
        /// When another ticket may start without any event.
        var lookAgain: Instant?
    }

    private let maxTransfers: Int
    private let breaker: BreakerPolicy
    private var policy: (String) -> HostPolicy
    private let sharedRates: SharedRateLimit?
    private var hosts: [String: HostQueue] = [:]
    /// Hosts with queued tickets, the one served longest ago first.
    private var line: [String] = []
    private var running = 0
    private var sweepAt = 256

    init(
        maxTransfers: Int, breaker: BreakerPolicy = BreakerPolicy(),
        sharedRates: SharedRateLimit? = nil, policy: @escaping (String) -> HostPolicy
    ) {
        self.maxTransfers = max(1, maxTransfers)
        self.breaker = breaker
        self.sharedRates = sharedRates
        self.policy = policy
    }

    init(_ configuration: FetchConfiguration) {
        self.init(
            maxTransfers: configuration.maxTransfers, breaker: configuration.breaker,
            sharedRates: configuration.sharedRates
        ) { [configuration] in configuration.policy(of: $0) }
    }

    /// Takes other policies, for known hosts too.
    mutating func change(policy: @escaping (String) -> HostPolicy) {
        self.policy = policy
        for host in hosts.keys { hosts[host]?.change(to: policy(host)) }
    }

    /// Queues a ticket. Tickets of different shares take turns. `isBounded` means that the ticket
    /// also needs a permit, `hasRoom` that it has the memory that others may wait for.
    ///
    /// - Parameter urgency: of a ticket that no client waits for, which starts after all others; nil if one
    ///   does.
    mutating func enqueue(
        _ ticket: Ticket, host: String, share: String? = nil, isBounded: Bool = false,
        hasRoom: Bool = false, urgency: Urgency? = nil
    ) {
        hosts[host, default: HostQueue(policy(host), breaker: breaker)].append(
            ticket, .init(share: share, isBounded: isBounded, hasRoom: hasRoom), urgency)
        if hosts[host]?.count == 1 {
            assert(!line.contains(host), "a host without tickets has a turn")
            line.append(host)
        }
        assert(line.contains(host), "a host with tickets has no turn")
    }

    /// Removes a queued ticket. Returns false if it has started or is unknown.
    mutating func withdraw(_ ticket: Ticket, host: String) -> Bool {
        guard hosts[host]?.remove(ticket) == true else { return false }
        if hosts[host]?.isEmpty == true { leaveLine(host) }
        return true
    }

    /// Records the end of a transfer. A nil report says nothing about the host. Returns whether the
    /// host went down or came back by it.
    ///
    /// - Parameter arrival: when the host had the request at the latest; nil if that is not known.
    @discardableResult
    mutating func finish(
        _ ticket: Ticket, host: String, _ report: HostHealth.Report?,
        arrivedBy arrival: Instant? = nil, at now: Instant
    ) -> HostEvent? {
        running -= 1
        assert(running >= 0, "more transfers end than have started")
        let wasDown = hosts[host]?.health.refuses ?? false
        hosts[host]?.finish(ticket, report, arrivedBy: arrival ?? now, at: now)
        let isDown = hosts[host]?.health.refuses ?? false
        if hosts.count > sweepAt {
            hosts = hosts.filter { !$0.value.isForgettable(at: now) }
            sweepAt = max(256, hosts.count * 2)
        }
        if wasDown == isDown { return nil }
        return isDown ? .down(host: host) : .back(host: host)
    }

    /// Returns the state of every known host.
    func states(at now: Instant) -> [HostState] {
        hosts.map { host, queue in
            HostState(
                host: host, breaker: queue.health.breaker(at: now), waiting: queue.count,
                running: queue.running)
        }
    }

    /// Returns the tickets that start now, hosts taking turns. `mayStart` is called for tickets
    /// that their host lets start. After it returned false for a bounded ticket, it is called for
    /// no other bounded ticket of that host until that one may start.
    mutating func turn(
        at now: Instant, _ mayStart: (Ticket) -> Bool = { _ in true }
    ) -> Turn {
        var turn = Turn()
        for urgent in [true, false] {
            var open = line
            while !open.isEmpty, running < maxTransfers {
                var more: [String] = []
                for host in open where running < maxTransfers {
                    if serve(host, urgent, at: now, into: &turn, mayStart) { more.append(host) }
                }
                open = more
            }
        }
        assert(running == hosts.values.reduce(0) { $0 + $1.running }, "hosts run other transfers")
        assert(Set(line).count == line.count, "a host has two turns")
        return turn
    }

    /// Serves one host. Returns true if it may have another ticket in this turn.
    ///
    /// - Parameter urgent: whether a ticket is meant that a client waits for.
    private mutating func serve(
        _ host: String, _ urgent: Bool, at now: Instant, into turn: inout Turn,
        _ mayStart: (Ticket) -> Bool
    ) -> Bool {
        guard hosts[host]?.hasTickets(urgent) == true else { return false }
        switch hosts[host]?.admission(at: now) {
        case .start:
            var started: Ticket?
            if let sharedRates, let rate = policy(host).rate {
                // Other processes never see a start that isn't made, for want of a permit.
                let wait = sharedRates.start(host, rate) {
                    started = hosts[host]?.start(urgent, at: now, mayStart)
                    return started != nil
                }
                if let wait {
                    let instant = now.advanced(by: wait)
                    turn.lookAgain = min(turn.lookAgain ?? instant, instant)
                    return false
                }
            } else {
                started = hosts[host]?.start(urgent, at: now, mayStart)
            }
            guard let ticket = started else { return false }
            assert(!turn.start.contains(ticket), "a ticket starts twice")
            turn.start.append(ticket)
            running += 1
            assert(running <= maxTransfers, "more transfers run than may")
            leaveLine(host)
            guard hosts[host]?.isEmpty == false else { return false }
            line.append(host)
            return true
        case .wait(let instant):
            turn.lookAgain = min(turn.lookAgain ?? instant, instant)
            return false
        case .refuse(let cause):
            for ticket in hosts[host]?.refuseAll() ?? [] { turn.refused[ticket] = cause }
            leaveLine(host)
            return false
        case .busy, nil: return false
        }
    }

    private mutating func leaveLine(_ host: String) {
        guard let index = line.firstIndex(of: host) else { return }
        line.remove(at: index)
    }
}
