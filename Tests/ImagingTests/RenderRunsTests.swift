import Dispatch
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Imaging

/// Renders of runs beside those that clients wait for.
@Suite(.timeLimit(.minutes(1))) struct RenderRunsTests {
    private let now = ContinuousClock.now

    /// 75 MB for slow renders, 25 MB for quick ones.
    private func schedule(threads: Int, queueLimit: Int = 10) -> Scheduled {
        var policy = RenderPolicy(threads: threads)
        policy.memory = 100_000_000
        policy.queueLimit = queueLimit
        policy.queueMemory = 1_000
        return Scheduled(policy)
    }

    private func cost(_ megabytes: Int = 1, _ lane: RenderLane = .quick) -> RenderCost {
        var cost = RenderCost(drawing: 0)
        cost.peak = megabytes * 1_000_000
        cost.lane = lane
        return cost
    }

    @Test(arguments: [1, 2, 16])
    func `a run uses all threads while no client asks`(threads: Int) throws {
        let schedule = schedule(threads: threads)
        var started = 0
        for _ in 0..<2 * threads {
            _ = try schedule.add(cost(), bytes: 0, isOfRun: true, at: now)
            if schedule.start(.quick, at: now) != nil { started += 1 }
        }
        #expect(started == threads)
    }

    @Test(arguments: [RenderLane.quick, .slow])
    func `the next free thread takes a client's render, however many of a run wait`(
        lane: RenderLane
    ) throws {
        let schedule = schedule(threads: 2)
        let runs = try (0..<50).map { _ in
            try schedule.add(cost(1, lane), bytes: 0, isOfRun: true, at: now)
        }
        let running = (0..<2).map { _ in schedule.start(lane, at: now)?.ticket }
        #expect(running == [runs[0], runs[1]])
        let clients = try (0..<2).map { _ in try schedule.add(cost(1, lane), bytes: 0, at: now) }
        var order: [RenderSchedule.Ticket?] = []
        for ticket in running.compactMap(\.self) {
            schedule.end(ticket)
            order.append(schedule.start(lane, at: now)?.ticket)
        }
        // Each waited for one render of the run.
        #expect(order == clients)
        schedule.end(clients[0])
        let next = schedule.start(lane, at: now)?.ticket
        #expect(next == runs[2])
    }

    @Test func `a run's render that a client joins starts like the client's`() throws {
        let schedule = schedule(threads: 1)
        let runs = try (0..<5).map { _ in
            try schedule.add(cost(), bytes: 0, isOfRun: true, at: now)
        }
        _ = schedule.start(.quick, at: now)
        let client = try schedule.add(cost(), bytes: 0, at: now)
        #expect(schedule.raise(runs[3]) == true)
        // It has waited for longer.
        var order: [RenderSchedule.Ticket?] = []
        for ticket in [runs[0], runs[3], client, runs[1]] {
            schedule.end(ticket)
            order.append(schedule.start(.quick, at: now)?.ticket)
        }
        #expect(order == [runs[3], client, runs[1], runs[2]])
        #expect(schedule.raise(runs[3]) == false)
    }

    @Test func `a run's large render doesn't take the memory of quick ones that clients wait for`()
        throws
    {
        let schedule = schedule(threads: 2)
        let quick = try schedule.add(cost(20), bytes: 0, at: now)
        #expect(schedule.start(.quick, at: now)?.ticket == quick)
        let large = try schedule.add(cost(100, .slow), bytes: 0, isOfRun: true, at: now)
        let client = try schedule.add(cost(20), bytes: 0, at: now)
        schedule.end(quick)
        #expect(schedule.start(.slow, at: now) == nil)
        #expect(schedule.start(.quick, at: now)?.ticket == client)
        schedule.end(client)
        #expect(schedule.start(.slow, at: now)?.ticket == large)
    }

    @Test func `what a run has queued never refuses a client`() throws {
        let schedule = schedule(threads: 1, queueLimit: 1)
        for _ in 0..<100 { _ = try schedule.add(cost(), bytes: 900, isOfRun: true, at: now) }
        _ = try schedule.add(cost(), bytes: 1_000, at: now)
        _ = try schedule.add(cost(), bytes: 0, at: now)
        let load = schedule.load(at: now)
        #expect((load.quickWaiting, load.runsWaiting) == (2, 100))
        #expect(throws: ImagingError.overloaded) {
            try schedule.add(cost(), bytes: 0, at: now)
        }
        #expect(schedule.close().count == 102)
    }

    /// Renders in their order on one thread, the first of which waits for the gate.
    private final class Renders: Sendable {
        let threads: RenderThreads
        let gate = DispatchSemaphore(value: 0)
        let order = Mutex<[String]>([])

        init() throws {
            var policy = RenderPolicy(threads: 1)
            policy.deadline = .seconds(1_000)
            threads = try RenderThreads(policy) {}
        }

        func start(_ name: String, _ urgency: Urgency?) -> Task<Void, any Error> {
            Task { [self] in
                try await threads.run(RenderCost(drawing: 1), urgency: urgency) {
                    [self] (_) throws(ImagingError) in
                    if name == "first" { gate.wait() }
                    order.withLock { $0.append(name) }
                }
            }
        }
    }

    @Test func `threads take clients' renders first, and those that clients join`() async throws {
        let renders = try Renders()
        let threads = renders.threads
        let joined = Urgency()
        let first = renders.start("first", Urgency())
        await eventually { threads.load.running == 1 }
        let later = renders.start("later", Urgency())
        await eventually { threads.load.runsWaiting == 1 }
        let wanted = renders.start("joined", joined)
        await eventually { threads.load.runsWaiting == 2 }
        let client = renders.start("client", nil)
        await eventually { threads.load.quickWaiting == 1 }
        joined.raise()
        #expect(threads.load.quickWaiting == 2)
        renders.gate.signal()
        for task in [first, later, wanted, client] { try await task.value }
        #expect(renders.order.withLock { $0 } == ["first", "joined", "client", "later"])
        await threads.shutdown()
    }
}
