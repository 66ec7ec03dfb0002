import Dispatch
import Synchronization
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct DeferredLinesTests {
    @Test func `a stalled reader doesn't block logging, and lines keep their order`() {
        let written = Mutex<[String]>([])
        let started = DispatchSemaphore(value: 0)
        let stalled = DispatchSemaphore(value: 0)
        let lines = DeferredLines(limit: 3) { text in
            written.withLock { $0 += text.split(separator: "\n").map(String.init) }
            started.signal()
            stalled.wait()
        }
        lines.add("first")
        started.wait()
        for number in 1...5 { lines.add("\(number)") }
        for _ in 0..<9 { stalled.signal() }
        lines.flush(within: .seconds(60))
        let all = written.withLock { $0 }
        #expect(all == ["first", "1", "2", "3", "… 2 log lines were dropped"])
        lines.add("last")
        lines.flush(within: .seconds(60))
        #expect(written.withLock { $0 }.last == "last")
    }
}
