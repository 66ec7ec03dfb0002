import Synchronization
import Testing

@testable import Fetch

/// Gates of several processes that share the rate of a host.
@Suite(.timeLimit(.minutes(1))) struct SharedRateTests {
    @Test(arguments: [1, 3, 20], [1, 4])
    func `gates that share a rate start no more together, and wait without spinning`(
        count: Int, concurrent: Int
    ) {
        let rate = HostPolicy.Rate(count: count, per: .seconds(10))
        let shared = SharedStarts()
        var gates = (0..<2).map { _ in
            HostGate(maxTransfers: 100, sharedRates: shared.limit) { _ in
                HostPolicy(maxConcurrent: concurrent, rate: rate)
            }
        }
        let tickets = 50
        for gate in gates.indices {
            for ticket in 0..<tickets { gates[gate].enqueue(UInt64(ticket), host: "a") }
        }
        var starts: [ContinuousClock.Instant] = []
        var startedBy = [0, 0]
        var rounds = 0
        // Each round starts transfers, which end at once, or waits for as long as it was told.
        while starts.count < 2 * tickets, rounds < 20 * tickets {
            rounds += 1
            var lookAgain: [ContinuousClock.Instant] = []
            var any = false
            for gate in gates.indices {
                let turn = gates[gate].turn(at: shared.now)
                for ticket in turn.start {
                    starts.append(shared.now)
                    gates[gate].finish(ticket, host: "a", .answered, at: shared.now)
                }
                startedBy[gate] += turn.start.count
                any = any || !turn.start.isEmpty
                if let next = turn.lookAgain {
                    #expect(next > shared.now)
                    lookAgain.append(next)
                }
            }
            if !any, let next = lookAgain.min() { shared.now = next }
        }
        #expect(startedBy == [tickets, tickets])
        // Two rounds for each window at most, and one for each batch of transfers.
        #expect(rounds <= 2 * tickets / min(count, concurrent) * 2 + 2)
        for (first, next) in zip(starts, starts.dropFirst(count)) {
            #expect(next - first >= .seconds(10))
        }
        #expect(shared.recorded == starts)
    }

    @Test func `a ticket whose permit is refused takes no start from other processes`() {
        let rate = HostPolicy.Rate(count: 1, per: .seconds(10))
        let shared = SharedStarts()
        var gates = (0..<2).map { _ in
            HostGate(maxTransfers: 100, sharedRates: shared.limit) { _ in
                HostPolicy(maxConcurrent: 4, rate: rate)
            }
        }
        gates[0].enqueue(1, host: "a", isBounded: true)
        for _ in 0..<3 {
            // Without a permit only an event helps, so it is not to look again by itself.
            #expect(gates[0].turn(at: shared.now) { _ in false } == HostGate.Turn())
        }
        #expect(shared.recorded.isEmpty)
        gates[1].enqueue(2, host: "a")
        #expect(gates[1].turn(at: shared.now) == HostGate.Turn(start: [2]))
        // Now the rate comes first, and the permit isn't asked for.
        let asked = gates[0].turn(at: shared.now) { _ in
            Issue.record("the permit is taken too early")
            return true
        }
        #expect(asked == HostGate.Turn(lookAgain: shared.now.advanced(by: .seconds(10))))
        shared.now = shared.now.advanced(by: .seconds(10))
        #expect(gates[0].turn(at: shared.now) { _ in true } == HostGate.Turn(start: [1]))
        #expect(shared.recorded.count == 2)
    }

    @Test func `a host without a rate asks no other process`() {
        let shared = SharedStarts()
        var gate = HostGate(maxTransfers: 100, sharedRates: shared.limit) { _ in HostPolicy() }
        gate.enqueue(1, host: "a")
        #expect(gate.turn(at: shared.now).start == [1])
        #expect(shared.recorded.isEmpty)
    }
}

/// Starts that gates share, as processes do, at a time that a test moves.
private final class SharedStarts: Sendable {
    private let state = Mutex((now: ContinuousClock.now, starts: [ContinuousClock.Instant]()))

    var now: ContinuousClock.Instant {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    var recorded: [ContinuousClock.Instant] { state.withLock { $0.starts } }

    var limit: SharedRateLimit {
        SharedRateLimit { [self] _, rate, begin in
            let recent = recorded.filter { now - $0 < rate.per }
            if recent.count >= rate.count {
                return recent[recent.count - rate.count] + rate.per - now
            }
            let hasBegun = begin()
            if hasBegun { state.withLock { $0.starts.append($0.now) } }
            return nil
        }
    }
}
