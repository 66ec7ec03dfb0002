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
    ) -> (ticket: RenderSchedule.Ticket, queued: Duration)? {
        schedule.start(lane, at: now)
    }

    var allowances: [RenderSchedule.Ticket: Int] { schedule.allowances }
    func hasWork(_ lane: RenderLane) -> Bool { schedule.hasWork(lane) }
    func end(_ ticket: RenderSchedule.Ticket) -> RenderSchedule.NextStep { schedule.end(ticket) }
    func cancel(_ ticket: RenderSchedule.Ticket) -> Bool { schedule.cancel(ticket) }
    func load(at now: ContinuousClock.Instant) -> RenderLoad { schedule.load(at: now) }
    func close() -> [RenderSchedule.Ticket] { schedule.close() }

    func findOverdue(at now: ContinuousClock.Instant) -> [RenderSchedule.Overdue] {
        schedule.findOverdue(at: now)
    }
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

    @Test func `a render may use the threads that no other render runs on or waits for`() throws {
        let schedule = schedule { $0.threads = 4 }
        let first = try schedule.add(divisible(10), bytes: 0, at: now())
        _ = schedule.start(.slow, at: now())
        #expect(schedule.allowances == [first: 4])
        let second = try schedule.add(divisible(10, .quick), bytes: 0, at: now())
        // It waits and needs a thread.
        #expect(schedule.allowances == [first: 3])
        _ = schedule.start(.quick, at: now())
        #expect(schedule.allowances == [first: 2, second: 2])
        let third = try schedule.add(divisible(10), bytes: 0, at: now())
        _ = schedule.start(.slow, at: now())
        // The oldest gets what can't be divided.
        #expect(schedule.allowances == [first: 2, second: 1, third: 1])
        _ = schedule.end(first)
        #expect(schedule.allowances == [second: 2, third: 2])
        _ = schedule.end(second)
        #expect(schedule.allowances == [third: 4])
    }

    @Test func `a render gets no more threads than there is memory for`() throws {
        let schedule = schedule { $0.threads = 4 }
        let first = try schedule.add(divisible(70), bytes: 0, at: now())
        _ = schedule.start(.slow, at: now())
        let second = try schedule.add(divisible(21, .quick), bytes: 0, at: now())
        _ = schedule.start(.quick, at: now())
        // 9 MB are left.
        #expect(schedule.allowances == [first: 2, second: 1])
    }

    @Test func `a render that can't be divided leaves the threads to others`() throws {
        let schedule = schedule { $0.threads = 4 }
        let first = try schedule.add(cost(10), bytes: 0, at: now())
        _ = schedule.start(.slow, at: now())
        let second = try schedule.add(divisible(10), bytes: 0, at: now())
        _ = schedule.start(.slow, at: now())
        #expect(schedule.allowances == [first: 1, second: 3])
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
        #expect(schedule.end(first) == .proceed)
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
        #expect(schedule.end(large) == .proceed)
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
        #expect(schedule.end(slow) == .proceed)
        let third = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.end(second) == .proceed)
        // From now on small renders wait for the large one, which waits for the running ones.
        #expect(schedule.start(.quick, at: now()) == nil && !schedule.hasWork(.quick))
        #expect(schedule.start(.slow, at: now()) == nil)
        #expect(schedule.end(quick) == .proceed)
        #expect(schedule.hasWork(.slow))
        #expect(schedule.start(.slow, at: now())?.ticket == large)
        #expect(schedule.start(.quick, at: now()) == nil)
        #expect(schedule.load(at: now()).memory == 100_000_000)
        #expect(schedule.end(large) == .proceed)
        #expect(schedule.start(.quick, at: now())?.ticket == third)
    }

    @Test func `a small picture waits for one large picture at most`() throws {
        let schedule = schedule()
        let large = try (0..<2).map { _ in try schedule.add(cost(100), bytes: 0, at: now()) }
        let small = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now()) == nil)
        #expect(schedule.start(.slow, at: now())?.ticket == large[0])
        #expect(schedule.end(large[0]) == .proceed)
        #expect(schedule.start(.slow, at: now()) == nil)
        #expect(schedule.start(.quick, at: now())?.ticket == small)
        // New ones wait again, so that the large one isn't overtaken forever.
        _ = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now()) == nil)
        #expect(schedule.end(small) == .proceed)
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
        #expect(schedule.end(large) == .proceed)
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

    @Test
    func
        `a hung render's thread is replaced, at most once per thread, and its memory stays counted`()
        throws
    {
        let schedule = schedule { $0.deadline = .seconds(10) }
        let tickets = try (0..<3).map { _ in try schedule.add(cost(10), bytes: 0, at: now()) }
        #expect(schedule.start(.slow, at: now()) != nil)
        #expect(schedule.start(.slow, at: now()) != nil)
        #expect(schedule.start(.slow, at: now()) == nil)
        // Four times ten seconds on the clock, and one second of grace.
        #expect(schedule.findOverdue(at: now(41)).isEmpty)
        let late = schedule.findOverdue(at: now(41.1))
        #expect(late.map(\.ticket) == Array(tickets.prefix(2)))
        #expect(late.map(\.isReplaced) == [true, true])
        #expect(schedule.findOverdue(at: now(42)).isEmpty)
        #expect(schedule.start(.slow, at: now(42))?.ticket == tickets[2])
        var load = schedule.load(at: now(42))
        #expect((load.running, load.overdue, load.isStuck) == (3, 2, true))
        #expect(load.oldest == .seconds(42))
        #expect(load.memory == 30_000_000)
        // Two threads have been replaced; a third won't be.
        #expect(schedule.findOverdue(at: now(90)).map(\.isReplaced) == [false])
        #expect(schedule.end(tickets[2]) == .rejoin)
        #expect(schedule.end(tickets[0]) == .end)
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
