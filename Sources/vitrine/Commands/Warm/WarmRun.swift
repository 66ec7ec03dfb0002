import Catalog
import FoundationEssentials
import Pipeline

/// One warm run with its display, its list of problems and its summary.
struct WarmRun: Sendable {
    let pipeline: MediaPipeline
    let request: WarmRequest
    let dryRun: Bool
    /// Whether progress is printed as JSON lines.
    var json = false
    var manifest: WarmManifest?

    /// Runs until the end, or until SIGINT or SIGTERM. Finished items stay.
    func outcome() async -> Outcome {
        var outcome = Outcome()
        let monitor = pipeline.warm.monitor(request)
        let problems = WarmProblems()
        do {
            if dryRun {
                outcome.forecast = try await Interruption.cancels {
                    try await pipeline.warm.forecast(request)
                }
                return outcome
            }
            outcome.summary = try await Interruption.cancels {
                try await warm(monitor, problems)
            }
        } catch {
            let snapshot = monitor.snapshot
            outcome.summary = snapshot.summary
            outcome.error =
                error is CancellationError
                ? CommandError(WarmText.interrupted(snapshot)) : error
        }
        outcome.problems = problems.lines
        return outcome
    }

    private func warm(
        _ monitor: WarmMonitor, _ problems: WarmProblems
    ) async throws -> WarmSummary {
        let screen = WarmScreen(title: request.name)
        let events = json ? WarmEvents() : nil
        defer { screen.finish() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // Progress is shown by the clock, so that a slow origin doesn't freeze the display.
            group.addTask {
                while !Task.isCancelled {
                    do { try await Task.sleep(for: screen.interval) } catch { return }
                    let snapshot = monitor.snapshot
                    screen.show(snapshot)
                    events?.progress(snapshot)
                }
            }
            defer { group.cancelAll() }
            return try await pipeline.warm.run(request, monitor) { warmed in
                problems.note(warmed)
                events?.ended(warmed)
                try await manifest?.write(warmed)
            }
        }
    }
}

extension WarmRun {
    /// The end of a run.
    struct Outcome {
        var summary = WarmSummary()
        /// Set if only a forecast was requested.
        var forecast: WarmForecast?
        /// Why the run as a whole failed.
        var error: (any Error)?
        /// Items without their first choice, with reasons.
        var problems: [String] = []
        /// What the process used; nil if it was not measured.
        var usage: WarmUsage?

        var text: String { forecast.map(WarmText.forecast) ?? WarmText.summary(summary, usage) }

        /// Whether items failed, or the list may be incomplete.
        var isPartial: Bool {
            summary.failed > 0 || !summary.stalePages.isEmpty
                || forecast?.stalePages.isEmpty == false
        }

        func json() throws -> String {
            let data =
                try forecast.map { try WarmEvents.encoder.encode($0) }
                ?? WarmEvents.encoder.encode(
                    WarmEvents.Summary(summary: summary, usage: usage, error: error))
            return String(decoding: data, as: UTF8.self)
        }
    }
}
