import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1))) struct HostEventTests {
    @Test func `a host is down after a failed probe, and back with its first response`() {
        let start = ContinuousClock.now
        var breaker = BreakerPolicy()
        breaker.threshold = 1
        breaker.rest = .seconds(2)
        var gate = HostGate(maxTransfers: 100, breaker: breaker) { _ in HostPolicy() }
        let reports: [(HostHealth.Report, HostEvent?)] = [
            // The first rest may be a restart.
            (.unreachable, nil), (.unreachable, .down(host: "a")), (.unreachable, nil),
            (.answered, .back(host: "a")), (.answered, nil), (.unreachable, nil), (.answered, nil),
        ]
        for (number, (report, event)) in reports.enumerated() {
            let now = start.advanced(by: .seconds(1_000 * number))
            gate.enqueue(1, host: "a")
            #expect(gate.turn(at: now).start == [1])
            #expect(gate.finish(1, host: "a", report, at: now) == event)
        }
    }
}
