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

@Suite(.timeLimit(.minutes(1))) struct LoadOrderTests {
    /// Weights 1, 1/2, 1/3 and 1/4 are 48, 24, 16 and 12 % of their sum.
    @Test(arguments: [
        (0.0, 0), (0.47, 0), (0.49, 1), (0.71, 1), (0.73, 2), (0.87, 2), (0.89, 3), (0.999, 3),
    ])
    func `a place of Zipf's law has the share of its weight`(fraction: Double, place: Int) {
        #expect(LoadOrder.place(of: fraction, in: LoadOrder.shares(4)) == place)
    }

    @Test func `the same seed draws the same requests, another one others`() {
        func draws(_ seed: UInt64) -> [Int] {
            var order = LoadOrder(.zipf, count: 1_000, seed: seed)
            return (0..<50).map { _ in order.draw() }
        }
        #expect(draws(1) == draws(1))
        #expect(draws(1) != draws(2))
    }

    @Test func `the most wanted request comes up as often as Zipf's law says`() {
        var order = LoadOrder(.zipf, count: 100, seed: 3)
        var counts = Array(repeating: 0, count: 100)
        for _ in 0..<10_000 { counts[order.draw()] += 1 }
        counts.sort(by: >)
        // 19.3 % of the draws; four standard deviations are 1.6 %.
        #expect((1_770...2_090).contains(counts[0]))
        #expect(counts[0] > counts[3] * 3)
    }

    @Test func `requests in turn begin again after the last one`() {
        var order = LoadOrder(.inTurn, count: 3, seed: 1)
        #expect((0..<7).map { _ in order.draw() } == [0, 1, 2, 0, 1, 2, 0])
    }
}
