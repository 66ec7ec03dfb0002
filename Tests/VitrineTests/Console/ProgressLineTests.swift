import Synchronization
import Testing

@testable import Console
@testable import vitrine

/// Keeps what is written to a pretended standard error.
final class Written: Sendable {
    private let pieces = Mutex<[String]>([])

    var all: [String] { pieces.withLock { $0 } }

    func error(isTerminal: Bool, columns: Int = 200) -> StandardError {
        StandardError(isTerminal: isTerminal, columns: { columns }) { [self] text in
            pieces.withLock { $0.append(text) }
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct ProgressLineTests {
    private func report(_ done: Int, at milliseconds: Int) -> ProgressReport {
        ProgressReport(done: done, elapsed: .milliseconds(milliseconds))
    }

    @Test func `a live progress line is redrawn at most ten times a second`() {
        let written = Written()
        let line = ProgressLine(written.error(isTerminal: true, columns: 10))
        for step in 0...25 { line.update(report(step, at: step * 10)) }
        #expect(written.all == ["\r\u{1b}[K0 items", "\r\u{1b}[K10 items", "\r\u{1b}[K20 items"])
    }

    @Test func `a finished progress line is removed once`() {
        let written = Written()
        let line = ProgressLine(written.error(isTerminal: true, columns: 10))
        line.update(report(1, at: 0))
        line.finish()
        line.finish()
        #expect(written.all == ["\r\u{1b}[K1 items", "\r\u{1b}[K"])
    }

    @Test func `without a terminal a plain progress line is printed every few seconds`() {
        let written = Written()
        let line = ProgressLine(written.error(isTerminal: false), plainInterval: .seconds(5))
        for second in 1...11 { line.update(report(second, at: second * 1_000)) }
        line.finish()
        #expect(written.all.map { String($0.prefix(8)) } == ["5 items ", "10 items"])
        #expect(written.all.allSatisfy { $0.hasSuffix("/s\n") })
    }

    @Test func `without an interval no plain progress is printed`() {
        let written = Written()
        let line = ProgressLine(written.error(isTerminal: false), plainInterval: nil)
        line.update(report(1, at: 1_000_000_000))
        #expect(written.all.isEmpty)
    }

    @Test func `other lines are printed above the live progress line`() {
        let written = Written()
        let error = written.error(isTerminal: true)
        error.line("first")
        error.show("live")
        error.line("second")
        #expect(written.all == ["first\n", "\r\u{1b}[Klive", "\r\u{1b}[Ksecond\nlive"])
    }

    @Test func `a name with control characters can't fake a line on standard error`() {
        let written = Written()
        let error = written.error(isTerminal: false)
        error.line("a\nvitrine: b\u{1b}[31m: not found")
        error.failure("c\rd")
        #expect(written.all == ["a\\nvitrine: b\\u001b[31m: not found\n", "c\\rd\n"])
    }
}
