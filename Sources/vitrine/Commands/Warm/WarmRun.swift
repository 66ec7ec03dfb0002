import Catalog
import FoundationEssentials
import Pipeline
import Synchronization

/// One warm run with its progress line, its list of failures and its summary.
struct WarmRun: Sendable {
    let pipeline: MediaPipeline
    let request: WarmRequest
    let dryRun: Bool

    struct Outcome {
        var summary = WarmSummary()
        /// Set if only a forecast was requested.
        var forecast: WarmForecast?
        /// Why the run as a whole failed.
        var error: (any Error)?

        var text: String { forecast?.text ?? Self.text(summary) }

        func json() throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            let data = try forecast.map { try encoder.encode($0) } ?? encoder.encode(summary)
            return String(decoding: data, as: UTF8.self)
        }

        private static func text(_ summary: WarmSummary) -> String {
            let pictures = summary.items - summary.placeholders - summary.failed
            return """
                \(ProgressReport.counted(summary.items, "item")): \
                \(ProgressReport.counted(pictures, "picture")) \
                (\(ProgressReport.counted(summary.fallbacks, "fallback"))), \
                \(ProgressReport.counted(summary.placeholders, "placeholder")), \
                \(summary.failed) failed
                \(ProgressReport.counted(summary.originals, "original")) fetched, \
                \(ProgressReport.megabytes(summary.bytesFetched)); \
                \(ProgressReport.counted(summary.thumbnails, "thumbnail")) rendered, \
                \(summary.reused) reused; \(ProgressReport.decimal(summary.seconds)) s
                """
        }
    }

    /// Runs until the end, or until SIGINT or SIGTERM. Finished items stay.
    func outcome() async -> Outcome {
        var outcome = Outcome()
        let latest = Latest()
        do {
            if dryRun {
                outcome.forecast = try await Interruption.cancels {
                    try await pipeline.warm.forecast(request)
                }
                return outcome
            }
            outcome.summary = try await Interruption.cancels {
                try await warm(latest)
            }
        } catch {
            outcome.summary = latest.summary
            outcome.error = error
        }
        return outcome
    }

    private func warm(_ latest: Latest) async throws -> WarmSummary {
        let progress = ProgressLine()
        defer { progress.finish() }
        return try await pipeline.warm.run(request) { state in
            latest.note(state.summary)
            if case .failed(let reason) = state.item.ending {
                StandardError.shared.line("failed \(state.item.item.shown): \(reason)")
            }
            progress.update(Self.report(state.summary, total: state.total))
        }
    }

    private static func report(_ summary: WarmSummary, total: Int?) -> ProgressReport {
        var report = ProgressReport(
            done: summary.items, total: total, elapsed: .seconds(summary.seconds))
        report.bytes = summary.bytesFetched
        report.fallbacks = summary.fallbacks
        report.placeholders = summary.placeholders
        report.failed = summary.failed
        return report
    }

    /// The summary so far, for a run that does not come to its end.
    private final class Latest: Sendable {
        private let state = Mutex(WarmSummary())

        var summary: WarmSummary { state.withLock { $0 } }

        /// Reports may overtake each other.
        func note(_ summary: WarmSummary) {
            state.withLock { if summary.items > $0.items { $0 = summary } }
        }
    }
}

extension WarmForecast {
    /// One sentence for people.
    var text: String {
        let volume = bytes.map { ", about \(ProgressReport.megabytes($0))" } ?? ""
        return """
            \(ProgressReport.counted(items, "item")): \(items - cold) warm, \(cold) cold; \
            would fetch up to \(ProgressReport.counted(cold, "original"))\(volume) and render \
            \(ProgressReport.counted(thumbnails, "thumbnail"))
            """
    }
}
