import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct AcceptBatchTests {
    @Test func `one connection is accepted at a time, and more while others have been waiting`() {
        var batch = AcceptBatch()
        var counts: [Int] = []
        for _ in 0..<200 {
            counts.append(batch.count)
            batch.grow()
        }
        #expect(counts.prefix(8).allSatisfy { $0 == 1 } && counts[8] == 2)
        #expect(counts == counts.sorted() && counts.last == 16)
        batch.reset()
        #expect(batch.count == 1)
    }
}
