import Synchronization

/// Shows reports of a run: one live line on a terminal, else a plain line every few seconds.
///
/// Time is what the reports say, so that it draws the same in every run. Any thread.
final class ProgressLine: Sendable {
    private let output: StandardError
    private let lastShown = Mutex<Duration?>(nil)
    private let interval: Duration

    /// `plainInterval` spaces the lines where there is no terminal; `nil` writes none there.
    init(_ output: StandardError = .shared, plainInterval: Duration? = .seconds(5)) {
        self.output = output
        // A tenth of a second looks live, and costs a thousandth of what a picture does.
        let plain = plainInterval ?? .seconds(Int64.max / 2)
        interval = output.isTerminal ? .milliseconds(100) : plain
    }

    /// Shows the report unless the last one is still recent. Cheap enough for every item.
    func update(_ report: ProgressReport) {
        let isDue = lastShown.withLock { last in
            // The first plain line comes after the first interval, the first live one at once.
            let since = last ?? (output.isTerminal ? report.elapsed - interval : .zero)
            guard report.elapsed - since >= interval else { return false }
            last = report.elapsed
            return true
        }
        guard isDue else { return }
        if output.isTerminal {
            output.show(report.line(width: output.width))
        } else {
            output.line(report.line(width: .max))
        }
    }

    /// Takes the live line away; what follows starts on a clean line.
    func finish() {
        output.show("")
    }
}
