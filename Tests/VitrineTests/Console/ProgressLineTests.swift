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
        error.line("a\nvitrine: b\u{1b}[31m: not\u{9b}1m found\u{85}")
        error.failure("c\rd")
        #expect(
            written.all == ["a\\nvitrine: b\\u001b[31m: not\\u009b1m found\\u0085\n", "c\\rd\n"])
    }
}

@Suite(.timeLimit(.minutes(1))) struct ProgressReportTests {
    static let busy = ProgressReport(
        done: 123, total: 400, bytes: 56_200_000, fallbacks: 2, placeholders: 1, failed: 3,
        elapsed: .seconds(10))

    @Test(arguments: [
        (
            busy, Int.max,
            "30 %  123/400 items  56.2 MB  12.3/s  5.6 MB/s  ETA 0:23  2 fallbacks  1 placeholder  "
                + "3 failed"
        ),
        (
            busy, 80,
            "30 %  123/400 items  56.2 MB  12.3/s  ETA 0:23  2 fallbacks  3 failed"
        ),
        (busy, 60, "30 %  123/400 items  56.2 MB  12.3/s  ETA 0:23  3 failed"),
        (busy, 30, "123/400 items  3 failed"),
        (busy, 13, "123/400 items"),
        (busy, 5, "123/4"),
        (busy, 1, "1"),
        (
            ProgressReport(title: "TV shows", done: 1, total: 2, elapsed: .seconds(1)), 80,
            "TV shows  50 %  1/2 items  1.0/s  ETA 0:01"
        ),
        (ProgressReport(total: 5), .max, "0 %  0/5 items"),
        (ProgressReport(total: 0), .max, "0/0 items"),
        (
            ProgressReport(noun: "pictures", done: 7, bytes: 1_000, elapsed: .milliseconds(50)),
            .max, "7 pictures  140/s"
        ),
        (
            ProgressReport(done: 5, total: 5, elapsed: .seconds(5)), .max,
            "100 %  5/5 items  1.0/s"
        ),
        (
            ProgressReport(done: 999, total: 1_000, elapsed: .seconds(9_990_000)), .max,
            "99 %  999/1000 items  0.0/s  ETA 2:46:40"
        ),
    ])
    func `a progress report is one line that fits the terminal`(
        report: ProgressReport, width: Int, line: String
    ) {
        #expect(report.line(width: width) == line)
    }

    @Test(arguments: 1...140)
    func `no progress line is wider than the limit`(width: Int) {
        #expect(Self.busy.line(width: width).count <= width)
    }

    @Test(arguments: [
        (0.04, "0.0"), (0.05, "0.1"), (9.96, "10.0"), (99.94, "99.9"), (99.96, "100"),
        (1_234.5, "1235"),
    ])
    func `numbers below a hundred have one decimal`(value: Double, text: String) {
        #expect(ReadableText.decimal(value) == text)
    }

    @Test(arguments: [(7, "0:07"), (754, "12:34"), (3_723, "1:02:03"), (90_000, "25:00:00")])
    func `durations show hours from one hour on`(seconds: Int, text: String) {
        #expect(ReadableText.clock(.seconds(seconds)) == text)
    }
}
