import Testing

@testable import Imaging

/// A schedule for expectations, which can't call mutating functions of a value.
final class Scheduled {
    private var schedule: RenderSchedule

    init(_ policy: RenderPolicy) { schedule = RenderSchedule(policy) }

    func add(
        _ cost: RenderCost, bytes: Int, isOfRun: Bool = false, at now: ContinuousClock.Instant
    ) throws(ImagingError) -> RenderSchedule.Ticket {
        try schedule.add(cost, bytes: bytes, isOfRun: isOfRun, at: now)
    }

    func raise(_ ticket: RenderSchedule.Ticket) -> Bool { schedule.raise(ticket) }

    func start(
        _ lane: RenderLane, at now: ContinuousClock.Instant
    ) -> RenderTurn? {
        schedule.start(lane, at: now)
    }

    func hasWork(_ lane: RenderLane) -> Bool { schedule.hasWork(lane) }
    func end(_ ticket: RenderSchedule.Ticket) { schedule.end(ticket) }
    func cancel(_ ticket: RenderSchedule.Ticket) -> Bool { schedule.cancel(ticket) }
    func load(at now: ContinuousClock.Instant) -> RenderLoad { schedule.load(at: now) }
    func close() -> [RenderSchedule.Ticket] { schedule.close() }
}

/// Decisions only: no thread, no clock.
@Suite(.timeLimit(.minutes(1))) struct RenderScheduleTests {
    private static let start = ContinuousClock.now

    /// 100 MB for two threads of each lane: 25 for quick renders, 75 for slow ones.
    private func schedule(_ change: (inout RenderPolicy) -> Void = { _ in }) -> Scheduled {
        var policy = RenderPolicy(threads: 2)
        policy.memory = 100_000_000
        policy.queueLimit = 3
        policy.queueMemory = 20_000
        change(&policy)
        return Scheduled(policy)
    }

    private func cost(_ megabytes: Int, _ lane: RenderLane = .slow) -> RenderCost {
        var cost = RenderCost(drawing: 0)
        cost.peak = megabytes * 1_000_000
        cost.lane = lane
        return cost
    }

    private func now(_ seconds: Double = 0) -> ContinuousClock.Instant {
        Self.start + .seconds(seconds)
    }

    /// Of a render whose work can be divided.
    private func divisible(_ megabytes: Int, _ lane: RenderLane = .slow) -> RenderCost {
        var cost = cost(megabytes, lane)
        cost.side = 5_000_000
        return cost
    }

    @Test func `a render gets the threads that no other render uses or waits for when it starts`()
        throws
    {
        let schedule = schedule { $0.threads = 4 }
        let first = try schedule.add(divisible(10), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now())?.threads == 4)
        // Each has a thread of its own.
        let second = try schedule.add(divisible(10, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now())?.threads == 1)
        schedule.end(first)
        _ = try schedule.add(divisible(10), bytes: 0, at: now())
        _ = try schedule.add(cost(1), bytes: 0, at: now())
        // One renders, and one waits.
        #expect(schedule.start(.slow, at: now())?.threads == 2)
        schedule.end(second)
    }

    @Test func `a render gets no more threads than its lane has memory for, which it keeps`() throws
    {
        let schedule = schedule { $0.threads = 4 }
        let first = try schedule.add(divisible(66), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now())?.threads == 2)
        #expect(schedule.load(at: now()).memory == 71_000_000)
        _ = try schedule.add(divisible(21, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now())?.threads == 1)
        // The other thread's memory is not free before the render ends.
        let third = try schedule.add(cost(5), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now()) == nil)
        schedule.end(first)
        #expect(schedule.start(.slow, at: now())?.ticket == third)
        #expect(schedule.load(at: now()).memory == 26_000_000)
    }

    @Test func `a render that can't be divided leaves the threads to others`() throws {
        let schedule = schedule { $0.threads = 4 }
        _ = try schedule.add(cost(10), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now())?.threads == 1)
        _ = try schedule.add(divisible(10), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now())?.threads == 3)
    }

    @Test func `renders that fit start in order of arrival and report their time in the queue`()
        throws
    {
        let schedule = schedule()
        let first = try schedule.add(cost(50), bytes: 0, at: now())
        let second = try schedule.add(cost(50), bytes: 0, at: now())
        let third = try schedule.add(cost(1), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now(1))?.ticket == first)
        // Nothing overtakes a render that waits for memory.
        #expect(schedule.start(.slow, at: now(1)) == nil)
        #expect(!schedule.hasWork(.slow))
        schedule.end(first)
        let started = try #require(schedule.start(.slow, at: now(3)))
        #expect(started.ticket == second)
        #expect(started.queued == .seconds(3))
        #expect(schedule.start(.slow, at: now(3))?.ticket == third)
        #expect(schedule.start(.slow, at: now(3)) == nil)
    }

    @Test func `a lane full of large pictures leaves small ones their threads and memory`() throws {
        let schedule = schedule()
        for _ in 0..<5 { _ = try schedule.add(cost(70), bytes: 0, at: now()) }
        #expect(schedule.start(.slow, at: now()) != nil)
        let small = try schedule.add(cost(10, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now())?.ticket == small)
    }

    @Test func `a flood of small pictures leaves large ones their threads and memory`() throws {
        let schedule = schedule { $0.queueLimit = 100 }
        for _ in 0..<100 { _ = try schedule.add(cost(12, .quick), bytes: 0, at: now()) }
        for _ in 0...100 where schedule.start(.quick, at: now()) == nil { break }
        let large = try schedule.add(cost(75), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now())?.ticket == large)
    }

    @Test func `a render that would never fit is refused at once`() {
        let schedule = schedule()
        #expect {
            try schedule.add(cost(101), bytes: 0, at: now())
        } throws: { error in
            "\(error)".contains(
                "rendering it would take 97 MiB of memory, and renders may take 96 MiB "
                    + "(imaging.memory)")
        }
    }

    @Test(arguments: [26, 75, 100])
    func `a quick render that needs more than its lane's share runs among slow ones`(
        megabytes: Int
    ) throws {
        let schedule = schedule()
        let large = try schedule.add(cost(megabytes, .quick), bytes: 0, at: now())
        let small = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now())?.ticket == large)
        schedule.end(large)
        #expect(schedule.start(.quick, at: now())?.ticket == small)
    }

    @Test func `a picture that needs the whole memory is rendered alone`() throws {
        let schedule = schedule()
        let slow = try schedule.add(cost(10), bytes: 0, at: now())
        let quick = try schedule.add(cost(10, .quick), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now())?.ticket == slow)
        #expect(schedule.start(.quick, at: now())?.ticket == quick)
        let large = try schedule.add(cost(100), bytes: 0, at: now())
        // While another slow render runs, small ones start.
        let second = try schedule.add(cost(10, .quick), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now()) == nil)
        #expect(schedule.start(.quick, at: now())?.ticket == second)
        schedule.end(slow)
        let third = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        schedule.end(second)
        // From now on small renders wait for the large one, which waits for the running ones.
        #expect(schedule.start(.quick, at: now()) == nil && !schedule.hasWork(.quick))
        #expect(schedule.start(.slow, at: now()) == nil)
        schedule.end(quick)
        #expect(schedule.hasWork(.slow))
        #expect(schedule.start(.slow, at: now())?.ticket == large)
        #expect(schedule.start(.quick, at: now()) == nil)
        #expect(schedule.load(at: now()).memory == 100_000_000)
        schedule.end(large)
        #expect(schedule.start(.quick, at: now())?.ticket == third)
    }

    @Test func `a small picture waits for one large picture at most`() throws {
        let schedule = schedule()
        let large = try (0..<2).map { _ in try schedule.add(cost(100), bytes: 0, at: now()) }
        let small = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now()) == nil)
        #expect(schedule.start(.slow, at: now())?.ticket == large[0])
        schedule.end(large[0])
        #expect(schedule.start(.slow, at: now()) == nil)
        #expect(schedule.start(.quick, at: now())?.ticket == small)
        // New ones wait again, so that the large one isn't overtaken forever.
        _ = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now()) == nil)
        schedule.end(small)
        #expect(schedule.start(.slow, at: now())?.ticket == large[1])
    }

    @Test func `small pictures that fit beside a large one start at once`() throws {
        let schedule = schedule()
        let large = try schedule.add(cost(90), bytes: 0, at: now())
        let small = try schedule.add(cost(10, .quick), bytes: 0, at: now())
        _ = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now())?.ticket == small)
        #expect(schedule.start(.slow, at: now())?.ticket == large)
        #expect(schedule.start(.quick, at: now()) == nil)
        #expect(schedule.cancel(large) == false)
        schedule.end(large)
        #expect(schedule.start(.quick, at: now()) != nil)
    }

    @Test func `a full queue refuses one more render, not counting those that idle threads take`()
        throws
    {
        let schedule = schedule()
        for _ in 0..<5 { _ = try schedule.add(cost(1), bytes: 0, at: now()) }
        #expect(throws: ImagingError.overloaded) {
            try schedule.add(cost(1), bytes: 0, at: now())
        }
        // The other lane has a queue of its own.
        _ = try schedule.add(cost(1, .quick), bytes: 0, at: now())
    }

    @Test func `originals beyond the bytes of the queue are refused, but never a single one`()
        throws
    {
        let schedule = schedule()
        let first = try schedule.add(cost(1), bytes: 50_000, at: now())
        #expect(throws: ImagingError.overloaded) {
            try schedule.add(cost(1), bytes: 1, at: now())
        }
        #expect(schedule.cancel(first))
        _ = try schedule.add(cost(1), bytes: 19_000, at: now())
        _ = try schedule.add(cost(1, .quick), bytes: 1_000, at: now())
        #expect(throws: ImagingError.overloaded) {
            try schedule.add(cost(1), bytes: 1, at: now())
        }
    }

    @Test func `canceling lets the next renders start`() throws {
        let schedule = schedule()
        let running = try schedule.add(cost(70), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now()) != nil)
        let large = try schedule.add(cost(70), bytes: 0, at: now())
        let small = try schedule.add(cost(1), bytes: 0, at: now())
        #expect(!schedule.hasWork(.slow))
        #expect(schedule.cancel(large))
        #expect(!schedule.cancel(large) && !schedule.cancel(running))
        #expect(schedule.hasWork(.slow))
        #expect(schedule.start(.slow, at: now())?.ticket == small)
    }

    @Test func `a render that hangs past its time is counted, with its memory`() throws {
        let schedule = schedule { $0.deadline = .seconds(10) }
        let tickets = try (0..<2).map { _ in try schedule.add(cost(10), bytes: 0, at: now()) }
        for _ in tickets { #expect(schedule.start(.slow, at: now()) != nil) }
        // Four times ten seconds on the clock, and one second of grace.
        #expect(schedule.load(at: now(41)).overdue == 0)
        var load = schedule.load(at: now(41.1))
        #expect((load.running, load.overdue, load.isStuck) == (2, 2, true))
        #expect(load.oldest == .seconds(41.1))
        #expect(load.memory == 20_000_000)
        schedule.end(tickets[0])
        load = schedule.load(at: now(90))
        #expect((load.running, load.overdue, load.isStuck) == (1, 1, false))
    }

    @Test func `a closed schedule returns queued renders and accepts none`() throws {
        let schedule = schedule()
        let waiting = try schedule.add(cost(1), bytes: 0, at: now())
        #expect(schedule.close() == [waiting])
        #expect(throws: ImagingError.stopped) { try schedule.add(cost(1), bytes: 0, at: now()) }
        #expect(schedule.start(.slow, at: now()) == nil)
    }
}
