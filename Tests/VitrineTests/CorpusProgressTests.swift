import Testing

@testable import vitrine_demo

@Suite struct CorpusProgressTests {
    @Test func `a long corpus tells every two seconds how many pictures are left`() {
        let start = ContinuousClock.now
        var progress = CorpusProgress(total: 1_000, at: start)
        var lines: [String] = []
        for second in 1...1_000 {
            let now = start.advanced(by: .seconds(second))
            if let line = progress.wrote(at: now) { lines.append(line) }
        }
        #expect(lines.count == 499)
        #expect(lines.first == "2 of 1000 pictures, about 17 minutes left")
        #expect(lines.last == "998 of 1000 pictures, about 2 s left")
    }

    @Test func `a short one is silent`() {
        let start = ContinuousClock.now
        var progress = CorpusProgress(total: 2, at: start)
        #expect(progress.wrote(at: start) == nil)
        #expect(progress.wrote(at: start.advanced(by: .seconds(9))) == nil)
    }
}
