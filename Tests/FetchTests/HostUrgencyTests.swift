import Memory
import Testing

@testable import Fetch

/// Transfers of runs beside those that clients wait for.
@Suite(.timeLimit(.minutes(1))) struct HostUrgencyTests {
    private let start = ContinuousClock.now

    @Test func `what clients wait for starts before what runs have queued, at every host`() {
        var gate = HostGate(maxTransfers: 2) { _ in HostPolicy(maxConcurrent: 1) }
        let joined = Urgency()
        gate.enqueue(1, host: "a", urgency: Urgency())
        gate.enqueue(2, host: "a", urgency: joined)
        gate.enqueue(3, host: "a", share: "client", isBounded: true)
        gate.enqueue(11, host: "b", urgency: Urgency())
        gate.enqueue(21, host: "c", share: "client")
        func started() -> [UInt64] { gate.turn(at: start).start }
        // Two transfers may run, and the run of host b queued before the client of host c.
        #expect(started() == [3, 21])
        joined.raise()
        gate.finish(0, host: "a", .answered, at: start)
        #expect(started() == [2])
        gate.finish(0, host: "c", .answered, at: start)
        #expect(started() == [11])
        gate.finish(0, host: "a", .answered, at: start)
        #expect(started() == [1])
    }
}
