import Foundation
import Testing

@testable import Pipeline

/// Decisions only: no store, no clock.
@Suite(.timeLimit(.minutes(1))) struct UploadRestsTests {
    private let start = Date(timeIntervalSince1970: 1_000_000)

    @Test func `an item that fails while others are stored is given up after a bounded time`() {
        var rests = UploadRests()
        var now = start
        var verdicts: [UploadRests.Verdict] = []
        // The first failure may be the store's.
        for _ in 0...UploadRests.mostAttempts {
            verdicts.append(rests.failed("bad", isLasting: false, at: now))
            #expect(verdicts.last == .giveUp || !rests.isDue("bad", at: now))
            rests.succeeded("good \(verdicts.count)")
            now += UploadRests.longestRest
            #expect(rests.isDue("bad", at: now))
        }
        #expect(verdicts.first == .tryLater && verdicts[1] == .isAtFault)
        #expect(verdicts[2..<UploadRests.mostAttempts].allSatisfy { $0 == .tryLater })
        #expect(verdicts.last == .giveUp)
        #expect(rests.count == 0)
    }

    @Test func `no item is given up while the store takes nothing`() {
        var rests = UploadRests()
        for attempt in 0..<100 {
            let now = start + Double(attempt) * UploadRests.longestRest
            #expect(rests.failed("a", isLasting: false, at: now) == .tryLater)
        }
        #expect(rests.isStoreAtFault)
        rests.succeeded("b")
        #expect(!rests.isStoreAtFault)
        // The store is back, so the next upload starts at once.
        #expect(rests.isDue("a", at: start))
    }

    @Test func `a rest ends although the clock was set back`() {
        var rests = UploadRests()
        _ = rests.failed("a", isLasting: false, at: start + 365 * 86_400)
        #expect(rests.isDue("a", at: start))
    }

    @Test func `no more items rest than there is room for`() {
        var rests = UploadRests()
        for number in 0..<UploadRests.mostItems {
            #expect(rests.isDue("\(number)", at: start))
            _ = rests.failed("\(number)", isLasting: false, at: start)
        }
        #expect(!rests.isDue("another", at: start))
        #expect(rests.isDue("1", at: start + UploadRests.firstRest))
    }
}
