import App
import Console
import Pipeline
import Synchronization

/// Shows a run: the live display on a terminal, else a plain line every few seconds. Thread-safe.
final class WarmScreen: Sendable {
    private let output: StandardError
    private let plain: ProgressLine
    private let display: Mutex<WarmDisplay>
    private let isLive: Bool
    private let title: String
    private let isAsking = Mutex(false)

    /// - Parameters:
    ///   - isVerbose: whether stages, amounts and hosts are shown, too.
    ///   - environment: `NO_COLOR` (no-color.org) turns colors off, `TERM=dumb` the display.
    init(
        title: String, isVerbose: Bool = false, _ output: StandardError = .shared,
        environment: [String: String] = ProcessEnvironment.values
    ) {
        self.output = output
        self.title = title
        isLive = output.isTerminal && environment["TERM"] != "dumb"
        display = Mutex(
            WarmDisplay(
                title: title, hasColors: Terminal.allowsColors(environment), isVerbose: isVerbose))
        plain = ProgressLine(output)
    }

    /// The time between two states. A fifth of a second looks live and calm.
    var interval: Duration { isLive ? .milliseconds(200) : .milliseconds(500) }

    func show(_ snapshot: WarmProgress) {
        if isAsking.withLock({ $0 }) { return }
        guard isLive else { return plain.update(report(snapshot)) }
        let lines = display.withLock { display in
            display.add(snapshot)
            return display.lines(snapshot, width: output.width)
        }
        output.show(lines)
    }

    /// Shows a sentence, and returns whether the operator agrees. Without a terminal no operator can answer,
    /// so the run continues.
    ///
    /// - Parameter asks: whether an answer is needed.
    func agrees(_ sentence: String, asks: Bool) async -> Bool {
        guard asks, output.isTerminal, Terminal.isReadable else {
            output.line("vitrine: \(sentence)")
            return true
        }
        // The display comes back with the next state.
        isAsking.withLock { $0 = true }
        defer { isAsking.withLock { $0 = false } }
        output.show([String]())
        output.line(sentence)
        return await Terminal.agrees("Continue? [y/N] ")
    }

    /// Removes the display, so that further output starts on a clean line.
    func finish() {
        if isLive { output.show([String]()) } else { plain.finish() }
    }

    private func report(_ snapshot: WarmProgress) -> ProgressReport {
        let summary = snapshot.summary
        var report = ProgressReport(
            title: WarmDisplay.shortened(title), done: summary.items, total: snapshot.total,
            elapsed: .seconds(summary.seconds))
        report.bytes = summary.bytesFetched
        report.fallbacks = summary.fallbacks
        report.placeholders = summary.placeholders
        report.failed = summary.failed
        return report
    }
}
