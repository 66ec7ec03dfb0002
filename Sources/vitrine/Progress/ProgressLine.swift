import Console
import Synchronization

/// Shows the progress of a run: one live line on a terminal, else a plain line every few seconds.
///
/// Timing follows the reports and not a clock, so tests get the same output in every run.
/// Thread-safe.
final class ProgressLine: Sendable {
    private let output: StandardError
    private let lastShown = Mutex<Duration?>(nil)
    private let interval: Duration

    /// - Parameter plainInterval: time between lines without a terminal; `nil` writes none.
    init(_ output: StandardError = .shared, plainInterval: Duration? = .seconds(5)) {
        self.output = output
        // A tenth of a second looks live and costs a thousandth of rendering a picture.
        let plain = plainInterval ?? .seconds(Int64.max / 2)
        interval = output.isTerminal ? .milliseconds(100) : plain
    }

    /// Shows the report unless the last one was shown just before. Cheap enough to call per item.
    func update(_ report: ProgressReport) {
        let isDue = lastShown.withLock { last in
            // The first live line is shown at once, the first plain line after one interval.
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

    /// Removes the live line, so that further output starts on a clean line.
    func finish() {
        output.show("")
    }
}
