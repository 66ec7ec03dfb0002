import Console
import FoundationEssentials
import Synchronization

/// Counts the results of a `thumb` run and reports them: failures at once, progress on a terminal,
/// totals at the end. Thread-safe.
final class ThumbCounts: Sendable {
    /// What came of all pictures.
    struct Summary: Encodable, Equatable, Sendable {
        /// Pictures of which thumbnails were written.
        var made = 0
        /// Pictures whose thumbnails were there.
        var kept = 0
        var failed = 0
        /// Lines of lists that can't be read.
        var badLines = 0
        /// Written, with their bytes.
        var thumbnails = 0
        var bytes = 0
        var seconds = 0.0
        var isDryRun = false
        var isInterrupted = false

        private enum CodingKeys: String, CodingKey {
            case made, kept, failed, badLines, thumbnails, bytes, seconds, isDryRun = "dryRun"
            case isInterrupted = "interrupted"
        }

        /// `Made 120 thumbnails of 12 pictures, 3.4 MB in 1.2 s (10.0 pictures/s); 3 unchanged, 1 failed`
        var text: String {
            let what =
                ReadableText.counted(thumbnails, "thumbnail") + " of "
                + ReadableText.counted(made, "picture")
            let rest = [
                kept > 0 ? "\(kept) unchanged" : nil, failed > 0 ? "\(failed) failed" : nil,
                badLines > 0 ? "\(ReadableText.counted(badLines, "line")) unread" : nil,
            ].compactMap(\.self)
            let all = [outcome(what)] + (rest.isEmpty ? [] : [rest.joined(separator: ", ")])
            return all.joined(separator: "; ")
        }

        private func outcome(_ what: String) -> String {
            if made == 0 {
                let isDone = kept > 0 && failed + badLines == 0 && !isInterrupted
                return isDone ? "Nothing to do" : "Nothing made"
            }
            if isDryRun { return "Would make \(what)" }
            let rate =
                seconds > 0 ? " (\(ReadableText.decimal(Double(made) / seconds)) pictures/s)" : ""
            return "Made \(what), \(ReadableText.size(bytes)) in "
                + "\(ReadableText.duration(seconds))\(rate)"
        }

        /// Whether a picture could be read.
        var isRead: Bool { made + kept > 0 }
    }

    private struct State {
        var report: ProgressReport
        var summary = Summary()
    }

    private let state: Mutex<State>
    private let began = ContinuousClock.now
    private let progress: ProgressLine
    private let errors: StandardError

    init(total: Int, errors: StandardError = .shared) {
        state = Mutex(State(report: ProgressReport(noun: "pictures", total: total)))
        self.errors = errors
        progress = ProgressLine(errors, plainInterval: nil)
    }

    func add(_ outcome: ThumbRun.Outcome) {
        let report = state.withLock { state in
            state.report.done += 1
            state.report.bytes += outcome.bytes
            state.report.elapsed = .now - began
            state.summary.thumbnails += outcome.thumbnails
            state.summary.bytes += outcome.bytes
            switch outcome.end {
            case .made: state.summary.made += 1
            case .kept: state.summary.kept += 1
            case .failed:
                state.summary.failed += 1
                state.report.failed += 1
            }
            return state.report
        }
        if case .failed(let reason) = outcome.end {
            errors.line("\(outcome.input.place): \(reason)")
        }
        progress.update(report)
    }

    /// Ends the display and returns the totals.
    func finish() -> Summary {
        progress.finish()
        return state.withLock { state in
            state.summary.seconds = (ContinuousClock.now - began) / .seconds(1)
            return state.summary
        }
    }
}
