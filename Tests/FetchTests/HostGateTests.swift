import Testing

@testable import Fetch

/// Time stands still unless a test moves it.
private let start = ContinuousClock.now

private func at(_ seconds: Double) -> ContinuousClock.Instant {
    start.advanced(by: .seconds(seconds))
}

@Suite(.timeLimit(.minutes(1)))
struct HostGateTests {
    private func gate(
        _ maxTransfers: Int = 100, _ policy: HostPolicy = HostPolicy(maxConcurrent: 100)
    ) -> HostGate {
        HostGate(maxTransfers: maxTransfers) { _ in policy }
    }

    @Test func `transfers start in the order of arrival`() {
        var gate = gate()
        for ticket in 1...5 { gate.enqueue(UInt64(ticket), host: "a") }
        #expect(gate.turn(at: start) == HostGate.Turn(start: [1, 2, 3, 4, 5]))
        #expect(gate.turn(at: start) == HostGate.Turn())
    }

    @Test func `each host's concurrency is limited`() {
        var gate = gate(100, HostPolicy(maxConcurrent: 2))
        for ticket in 1...3 { gate.enqueue(UInt64(ticket), host: "a") }
        gate.enqueue(9, host: "b")
        #expect(gate.turn(at: start).start == [1, 9, 2])
        gate.finish(host: "b", .answered, at: start)
        #expect(gate.turn(at: start).start == [])
        gate.finish(host: "a", .answered, at: start)
        #expect(gate.turn(at: start).start == [3])
    }

    @Test func `hosts take turns at the shared slots`() {
        var gate = gate(3)
        for ticket in 1...4 { gate.enqueue(UInt64(ticket), host: "a") }
        for ticket in 11...14 { gate.enqueue(UInt64(ticket), host: "b") }
        #expect(gate.turn(at: start).start == [1, 11, 2])
        gate.finish(host: "a", .answered, at: start)
        #expect(gate.turn(at: start).start == [12])
        gate.finish(host: "a", .answered, at: start)
        gate.finish(host: "b", .answered, at: start)
        #expect(gate.turn(at: start).start == [3, 13])
    }

    @Test func `another rate counts what was started under the one before`() {
        func rate(_ count: Int, _ seconds: Int) -> HostPolicy {
            HostPolicy(maxConcurrent: 100, rate: .init(count: count, per: .seconds(seconds)))
        }
        var gate = gate(100, rate(4, 10))
        for ticket in 1...12 { gate.enqueue(UInt64(ticket), host: "a") }
        #expect(gate.turn(at: at(0)).start == [1, 2, 3, 4])
        for ticket in 1...3 { gate.finish(UInt64(ticket), host: "a", .answered, at: at(0)) }
        gate.change { _ in rate(2, 10) }
        #expect(gate.turn(at: at(9)) == HostGate.Turn(lookAgain: at(10)))
        // One still runs.
        #expect(gate.turn(at: at(10)).start == [5])
        gate.finish(4, host: "a", .answered, at: at(11))
        gate.finish(5, host: "a", .answered, at: at(12))
        gate.change { _ in rate(3, 20) }
        #expect(gate.turn(at: at(12)).start == [6])
        gate.finish(6, host: "a", .answered, at: at(12))
        #expect(gate.turn(at: at(13)) == HostGate.Turn(lookAgain: at(31)))
        gate.change { _ in HostPolicy(maxConcurrent: 2) }
        #expect(gate.turn(at: at(13)).start == [7, 8])
        gate.change { _ in HostPolicy(maxConcurrent: 3) }
        #expect(gate.turn(at: at(13)).start == [9])
    }

    @Test func `no window has more starts than the rate allows`() {
        var gate = gate(
            100, HostPolicy(maxConcurrent: 100, rate: .init(count: 3, per: .seconds(10))))
        for ticket in 1...9 { gate.enqueue(UInt64(ticket), host: "a") }
        #expect(gate.turn(at: at(0)) == HostGate.Turn(start: [1, 2, 3]))
        for ticket in 1...3 { gate.finish(UInt64(ticket), host: "a", .answered, at: at(0)) }
        #expect(gate.turn(at: at(9.999)) == HostGate.Turn(lookAgain: at(10)))
        #expect(gate.turn(at: at(10)) == HostGate.Turn(start: [4, 5, 6]))
        for ticket in 4...6 { gate.finish(UInt64(ticket), host: "a", .answered, at: at(10)) }
        #expect(gate.turn(at: at(25)) == HostGate.Turn(start: [7, 8, 9]))
    }

    @Test func `a request counts from when the host had it at the latest`() {
        var gate = gate(
            100, HostPolicy(maxConcurrent: 100, rate: .init(count: 2, per: .seconds(10))))
        for ticket in 1...4 { gate.enqueue(UInt64(ticket), host: "a") }
        #expect(gate.turn(at: at(0)).start == [1, 2])
        // As long as both run, it isn't known when the host got them.
        #expect(gate.turn(at: at(11)) == HostGate.Turn())
        gate.finish(2, host: "a", .answered, arrivedBy: at(3), at: at(11))
        #expect(gate.turn(at: at(11)) == HostGate.Turn(lookAgain: at(13)))
        #expect(gate.turn(at: at(13)).start == [3])
        gate.finish(1, host: "a", .answered, arrivedBy: at(12), at: at(14))
        #expect(gate.turn(at: at(14)) == HostGate.Turn(lookAgain: at(22)))
    }

    @Test func `an origin that bans above its limit bans no request of 5,000`() {
        let (count, requests, latency) = (50, 5_000, 0.045)
        var gate = gate(
            100, HostPolicy(maxConcurrent: 16, rate: .init(count: count, per: .seconds(1))))
        for ticket in 0..<requests { gate.enqueue(UInt64(ticket), host: "a") }
        var random = SystemRandomNumberGenerator()
        var running: [(ticket: UInt64, answered: Double)] = []
        var arrivals: [Double] = []
        var now = 0.0
        while arrivals.count < requests {
            let turn = gate.turn(at: at(now))
            for ticket in turn.start {
                // The connection delays a request, and the response follows at once or later.
                let arrival = now + Double.random(in: 0...latency, using: &random)
                arrivals.append(arrival)
                running.append((ticket, Double.random(in: arrival...now + latency, using: &random)))
            }
            let next = turn.lookAgain.map { (start.duration(to: $0)) / .seconds(1) }
            let ended = running.map(\.answered).min()
            guard let step = [next, ended].compactMap(\.self).min() else { break }
            // Instants are rounded to nanoseconds.
            now = max(now, step) + 1e-6
            for (ticket, answered) in running where answered <= now {
                gate.finish(ticket, host: "a", .answered, arrivedBy: at(answered), at: at(now))
            }
            running.removeAll { $0.answered <= now }
        }
        arrivals.sort()
        #expect(arrivals.count == requests)
        #expect(zip(arrivals, arrivals.dropFirst(count)).allSatisfy { $1 - $0 > 1 })
        // At least 95 % of the allowed rate.
        #expect(now <= Double(requests / count) / 0.95)
    }

    @Test func `clients take turns at a host`() {
        var gate = gate(100, HostPolicy(maxConcurrent: 1))
        for ticket in 1...4 { gate.enqueue(UInt64(ticket), host: "a", share: "flood") }
        for ticket in 11...12 { gate.enqueue(UInt64(ticket), host: "a", share: "other") }
        gate.enqueue(21, host: "a")
        _ = gate.withdraw(2, host: "a")
        var started: [UInt64] = []
        for _ in 0..<6 {
            started += gate.turn(at: start).start
            gate.finish(host: "a", .answered, at: start)
        }
        #expect(started == [1, 11, 21, 3, 12, 4])
    }

    @Test func `a ticket without a permit waits, uses no rate and blocks no other`() {
        var gate = gate(
            100, HostPolicy(maxConcurrent: 100, rate: .init(count: 3, per: .seconds(10))))
        for ticket in 1...2 { gate.enqueue(UInt64(ticket), host: "a", isBounded: true) }
        gate.enqueue(3, host: "a", share: "other", isBounded: true)
        gate.enqueue(4, host: "a")
        gate.enqueue(5, host: "b", isBounded: true)
        var asked: [UInt64] = []
        func turn(_ allowed: Set<UInt64>) -> [UInt64] {
            asked = []
            return gate.turn(at: start) { ticket in
                asked.append(ticket)
                return allowed.contains(ticket)
            }.start
        }
        // Of one host only one is asked about: the leave of others would be held for nothing.
        #expect(turn([3, 4]) == [4])
        #expect(!asked.contains(3) && !asked.contains(2))
        #expect(turn([1]) == [1])
        #expect(turn([5]) == [5])
        _ = gate.withdraw(3, host: "a")
        #expect(turn([2]) == [2])
        #expect(gate.states(at: start).allSatisfy { $0.waiting == 0 })
    }

    @Test func `only the withdrawn ticket is removed`() {
        var gate = gate(100, HostPolicy(maxConcurrent: 1))
        for ticket in 1...3 { gate.enqueue(UInt64(ticket), host: "a") }
        #expect(gate.turn(at: start).start == [1])
        let withdrawn = [1, 2, 2].map { gate.withdraw($0, host: "a") }
        #expect(withdrawn == [false, true, false])
        gate.finish(host: "a", nil, at: start)
        #expect(gate.turn(at: start).start == [3])
    }

    @Test func `an overloaded host gets fewer transfers, and slowly more again`() {
        var gate = gate(100, HostPolicy(maxConcurrent: 8))
        for ticket in 1...100 { gate.enqueue(UInt64(ticket), host: "a") }
        #expect(gate.turn(at: start).start.count == 8)
        gate.finish(host: "a", .overloaded(hold: nil), at: start)
        #expect(gate.turn(at: start).start.count == 0)
        for _ in 0..<7 { gate.finish(host: "a", .overloaded(hold: nil), at: start) }
        #expect(gate.turn(at: start).start.count == 1)
        gate.finish(host: "a", .answered, at: start)
        #expect(gate.turn(at: start).start.count == 2)
        // One more for as many good responses as may run, not for each.
        for _ in 0..<2 { gate.finish(host: "a", .answered, at: start) }
        #expect(gate.turn(at: start).start.count == 3)
        for _ in 0..<2 { gate.finish(host: "a", .answered, at: start) }
        #expect(gate.turn(at: start).start.count == 2)
        gate.finish(host: "a", .answered, at: start)
        #expect(gate.turn(at: start).start.count == 2)
    }

    @Test func `a host is paused for as long as it asked`() {
        var gate = gate()
        gate.enqueue(1, host: "a")
        _ = gate.turn(at: start)
        gate.finish(host: "a", .overloaded(hold: .seconds(5)), at: start)
        gate.enqueue(2, host: "a")
        gate.enqueue(3, host: "b")
        #expect(gate.turn(at: start) == HostGate.Turn(start: [3], lookAgain: at(5)))
        #expect(gate.turn(at: at(5)).start == [2])
    }

    @Test func `a host that asked for a long pause gets no request until it is over`() {
        var gate = gate()
        gate.enqueue(1, host: "a")
        _ = gate.turn(at: start)
        gate.enqueue(2, host: "a")
        gate.finish(host: "a", .overloaded(hold: .seconds(900)), at: start)
        #expect(gate.turn(at: start) == HostGate.Turn(refused: [2: .held(.seconds(900))]))
        // The rest of a pause is queued for, like a short one.
        gate.enqueue(3, host: "a")
        #expect(gate.turn(at: at(840)) == HostGate.Turn(lookAgain: at(900)))
        #expect(gate.turn(at: at(900)).start == [3])
        // Nor does a host stay silent for longer than an hour.
        gate.finish(host: "a", .overloaded(hold: .seconds(86_400)), at: at(900))
        gate.enqueue(4, host: "a")
        #expect(gate.turn(at: at(4_499)) == HostGate.Turn(lookAgain: at(4_500)))
        #expect(gate.turn(at: at(4_500)).start == [4])
    }

    @Test func `the state of each host is reported`() {
        var breaker = BreakerPolicy()
        breaker.threshold = 1
        breaker.rest = .seconds(2)
        var gate = HostGate(maxTransfers: 100, breaker: breaker) { _ in
            HostPolicy(maxConcurrent: 1)
        }
        for ticket in 1...2 { gate.enqueue(UInt64(ticket), host: "a") }
        _ = gate.turn(at: start)
        func state(_ breaker: HostState.Breaker, waiting: Int, running: Int) -> [HostState] {
            [HostState(host: "a", breaker: breaker, waiting: waiting, running: running)]
        }
        #expect(gate.states(at: start) == state(.closed, waiting: 1, running: 1))
        gate.finish(host: "a", .unreachable, at: start)
        #expect(gate.states(at: at(1)) == state(.open, waiting: 1, running: 0))
        #expect(gate.states(at: at(2)) == state(.halfOpen, waiting: 1, running: 0))
        #expect(gate.turn(at: at(2)).start == [2])
        gate.finish(host: "a", .answered, at: at(2))
        #expect(gate.states(at: at(2)) == state(.closed, waiting: 0, running: 0))
    }

    @Test func `an unreachable host rests and is then probed once`() {
        var breaker = BreakerPolicy()
        breaker.threshold = 3
        breaker.rest = .seconds(2)
        breaker.maxRest = .seconds(3)
        var gate = HostGate(maxTransfers: 100, breaker: breaker) { _ in HostPolicy(maxConcurrent: 4)
        }
        for ticket in 1...6 { gate.enqueue(UInt64(ticket), host: "a") }
        #expect(gate.turn(at: start).start == [1, 2, 3, 4])
        for _ in 0..<4 { gate.finish(host: "a", .unreachable, at: start) }
        // The first rest may be a restart: it is waited for.
        #expect(gate.turn(at: start) == HostGate.Turn(lookAgain: at(2)))
        #expect(gate.turn(at: at(2)).start == [5])
        // The probe fails: a longer rest, but never longer than the longest, and no waiting.
        gate.finish(host: "a", .unreachable, at: at(2))
        gate.enqueue(7, host: "a")
        #expect(
            gate.turn(at: at(4))
                == HostGate.Turn(refused: [6: .resting(.seconds(1)), 7: .resting(.seconds(1))]))
        // One probe that finds the host: the way opens step by step.
        for ticket in 10...19 { gate.enqueue(UInt64(ticket), host: "a") }
        #expect(gate.turn(at: at(5)).start == [10])
        gate.finish(host: "a", .answered, at: at(5))
        #expect(gate.turn(at: at(5)).start == [11, 12])
        for _ in 0..<2 { gate.finish(host: "a", .answered, at: at(5)) }
        #expect(gate.turn(at: at(5)).start == [13, 14, 15])
    }

    @Test func `only consecutive failures open the breaker`() {
        var breaker = BreakerPolicy()
        breaker.threshold = 2
        var gate = HostGate(maxTransfers: 100, breaker: breaker) { _ in HostPolicy() }
        for report: HostHealth.Report? in [.unreachable, .answered, .unreachable, nil] {
            gate.enqueue(1, host: "a")
            #expect(gate.turn(at: start).start == [1])
            gate.finish(host: "a", report, at: start)
        }
    }

    @Test func `a thousand hosts are served`() {
        var gate = gate(10)
        for ticket in 0..<3_000 { gate.enqueue(UInt64(ticket), host: "host\(ticket % 1_000)") }
        var started: [UInt64] = []
        // One more than it takes: a gate that never ends would hang the test.
        for _ in 0...300 {
            let turn = gate.turn(at: start)
            if turn.start.isEmpty { break }
            #expect(turn.start.count <= 10)
            started += turn.start
            for ticket in turn.start {
                gate.finish(host: "host\(ticket % 1_000)", .answered, at: start)
            }
        }
        #expect(started == (0..<3_000).map(UInt64.init))
    }
}

extension HostGate {
    /// Records the end of any transfer, for hosts without a rate.
    fileprivate mutating func finish(
        host: String, _ report: HostHealth.Report?, at now: Instant
    ) {
        finish(0, host: host, report, at: now)
    }
}
