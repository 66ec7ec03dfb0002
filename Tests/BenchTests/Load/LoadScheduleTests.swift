import Testing

@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct LoadScheduleTests {
    @Test func `requests of an open loop are due at even distances`() {
        var schedule = LoadSchedule(.open(perSecond: 4), length: 1_000_000_000)
        #expect(schedule.due == 0)
        var taken: [UInt64] = []
        for now in stride(from: UInt64(0), to: 2_000_000_000, by: 50_000_000) {
            while let due = schedule.take(at: now) { taken.append(due) }
        }
        #expect(taken == [0, 250_000_000, 500_000_000, 750_000_000])
        #expect(schedule.due == nil)
    }

    @Test func `a request that is taken late keeps the time at which it was due`() {
        var schedule = LoadSchedule(.open(perSecond: 1_000), length: 1_000_000_000)
        #expect(schedule.take(at: 5_500_000) == 0)
        #expect(schedule.take(at: 5_500_000) == 1_000_000)
        #expect(schedule.take(at: 5_500_000) == 2_000_000)
        #expect(schedule.missed(at: 5_500_000) == [3_000_000, 4_000_000, 5_000_000])
    }

    @Test func `no request is handed out before it is due or after the end`() {
        var schedule = LoadSchedule(.open(perSecond: 10), length: 1_000_000_000)
        #expect(schedule.take(at: 0) == 0)
        #expect(schedule.take(at: 99_999_999) == nil)
        #expect(schedule.take(at: 1_000_000_000) == nil)
        #expect(schedule.missed(at: 1_000_000_000).count == 9)
    }

    @Test func `a closed loop always has a request until its end or its limit`() {
        var endless = LoadSchedule(.closed, length: 1_000)
        #expect(endless.take(at: 0) == 0)
        #expect(endless.take(at: 999) == 999)
        #expect(endless.take(at: 1_000) == nil)
        #expect(endless.missed(at: 1_000).isEmpty)
        var limited = LoadSchedule(.closed, limit: 2, length: 1_000)
        #expect(limited.take(at: 1) == 1)
        #expect(limited.take(at: 1) == 1)
        #expect(limited.take(at: 1) == nil)
        #expect(limited.due == nil)
    }
}
