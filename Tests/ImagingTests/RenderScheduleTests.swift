import Testing

@testable import Imaging

/// A schedule that expectations may ask: they can't change values.
private final class Scheduled {
    private var schedule: RenderSchedule

    init(_ policy: RenderPolicy) { schedule = RenderSchedule(policy) }

    func add(
        _ cost: RenderCost, bytes: Int, at now: ContinuousClock.Instant
    ) throws(ImagingError) -> RenderSchedule.Ticket {
        try schedule.add(cost, bytes: bytes, at: now)
    }

    func start(
        _ lane: RenderCost.Lane, at now: ContinuousClock.Instant
    ) -> (ticket: RenderSchedule.Ticket, queued: Duration)? {
        schedule.start(lane, at: now)
    }

    func hasWork(_ lane: RenderCost.Lane) -> Bool { schedule.hasWork(lane) }
    func end(_ ticket: RenderSchedule.Ticket) -> RenderSchedule.After { schedule.end(ticket) }
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

    private func cost(_ megabytes: Int, _ lane: RenderCost.Lane = .slow) -> RenderCost {
        var cost = RenderCost(drawing: 0)
        cost.peak = megabytes * 1_000_000
        cost.lane = lane
        return cost
    }

    private func now(_ seconds: Double = 0) -> ContinuousClock.Instant {
        Self.start + .seconds(seconds)
    }

    @Test func `starts what fits, in the order it came, and tells how long it waited`() throws {
        let schedule = schedule()
        let first = try schedule.add(cost(50), bytes: 0, at: now())
        let second = try schedule.add(cost(50), bytes: 0, at: now())
        let third = try schedule.add(cost(1), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now(1))?.ticket == first)
        // Nothing passes the one that waits for memory, or it might wait for ever.
        #expect(schedule.start(.slow, at: now(1)) == nil)
        #expect(!schedule.hasWork(.slow))
        #expect(schedule.end(first) == .goOn)
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

    @Test func `refuses at once what would never fit`() {
        let schedule = schedule()
        #expect {
            try schedule.add(cost(101), bytes: 0, at: now())
        } throws: { error in
            "\(error)".contains(
                "rendering it would take 97 MiB of memory, and 96 MiB are what renders may have "
                    + "(imaging.memory)")
        }
    }

    @Test func `a picture that needs the whole memory is rendered alone`() throws {
        let schedule = schedule()
        let slow = try schedule.add(cost(10), bytes: 0, at: now())
        let quick = try schedule.add(cost(10, .quick), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now())?.ticket == slow)
        #expect(schedule.start(.quick, at: now())?.ticket == quick)
        let large = try schedule.add(cost(100), bytes: 0, at: now())
        // While another slow one runs, small ones go on.
        let second = try schedule.add(cost(10, .quick), bytes: 0, at: now())
        #expect(schedule.start(.slow, at: now()) == nil)
        #expect(schedule.start(.quick, at: now())?.ticket == second)
        #expect(schedule.end(slow) == .goOn)
        let third = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.end(second) == .goOn)
        // From here on small ones wait for the large one, which waits for those that run.
        #expect(schedule.start(.quick, at: now()) == nil && !schedule.hasWork(.quick))
        #expect(schedule.start(.slow, at: now()) == nil)
        #expect(schedule.end(quick) == .goOn)
        #expect(schedule.hasWork(.slow))
        #expect(schedule.start(.slow, at: now())?.ticket == large)
        #expect(schedule.start(.quick, at: now()) == nil)
        #expect(schedule.load(at: now()).memory == 100_000_000)
        #expect(schedule.end(large) == .goOn)
        #expect(schedule.start(.quick, at: now())?.ticket == third)
    }

    @Test func `small pictures wait for one large picture at most`() throws {
        let schedule = schedule()
        let large = try (0..<2).map { _ in try schedule.add(cost(100), bytes: 0, at: now()) }
        let small = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now()) == nil)
        #expect(schedule.start(.slow, at: now())?.ticket == large[0])
        #expect(schedule.end(large[0]) == .goOn)
        #expect(schedule.start(.slow, at: now()) == nil)
        #expect(schedule.start(.quick, at: now())?.ticket == small)
        // Those that come now wait again, so that the large one isn't passed for ever.
        _ = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now()) == nil)
        #expect(schedule.end(small) == .goOn)
        #expect(schedule.start(.slow, at: now())?.ticket == large[1])
    }

    @Test func `small pictures that fit beside a large one go on`() throws {
        let schedule = schedule()
        let large = try schedule.add(cost(90), bytes: 0, at: now())
        let small = try schedule.add(cost(10, .quick), bytes: 0, at: now())
        _ = try schedule.add(cost(1, .quick), bytes: 0, at: now())
        #expect(schedule.start(.quick, at: now())?.ticket == small)
        #expect(schedule.start(.slow, at: now())?.ticket == large)
        #expect(schedule.start(.quick, at: now()) == nil)
        #expect(schedule.cancel(large) == false)
        #expect(schedule.end(large) == .goOn)
        #expect(schedule.start(.quick, at: now()) != nil)
    }

    @Test func `refuses one more than may wait, besides what threads are free for`() throws {
        let schedule = schedule()
        for _ in 0..<5 { _ = try schedule.add(cost(1), bytes: 0, at: now()) }
        #expect(throws: ImagingError.overloaded) {
            try schedule.add(cost(1), bytes: 0, at: now())
        }
        // The other lane has a queue of its own.
        _ = try schedule.add(cost(1, .quick), bytes: 0, at: now())
    }

    @Test func `refuses more bytes than may wait, but never a single original`() throws {
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

    @Test func `cancelling lets those behind go first`() throws {
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

    @Test func `who hangs is replaced, as often as there are threads, and keeps its memory`() throws
    {
        let schedule = schedule { $0.deadline = .seconds(10) }
        let tickets = try (0..<3).map { _ in try schedule.add(cost(10), bytes: 0, at: now()) }
        #expect(schedule.start(.slow, at: now()) != nil)
        #expect(schedule.start(.slow, at: now()) != nil)
        #expect(schedule.start(.slow, at: now()) == nil)
        // Four times ten seconds on the wall, and one to notice.
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
        // Two have been replaced, a third won't be.
        #expect(schedule.findOverdue(at: now(90)).map(\.isReplaced) == [false])
        #expect(schedule.end(tickets[2]) == .comeBack)
        #expect(schedule.end(tickets[0]) == .end)
        load = schedule.load(at: now(90))
        #expect((load.running, load.overdue, load.isStuck) == (1, 1, false))
    }

    @Test func `a closed schedule gives back what waits and takes nothing`() throws {
        let schedule = schedule()
        let waiting = try schedule.add(cost(1), bytes: 0, at: now())
        #expect(schedule.close() == [waiting])
        #expect(throws: ImagingError.stopped) { try schedule.add(cost(1), bytes: 0, at: now()) }
        #expect(schedule.start(.slow, at: now()) == nil)
    }
}
