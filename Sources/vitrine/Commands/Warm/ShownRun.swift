import Catalog
import Console
import FoundationEssentials
import Pipeline

/// A warm run with its display, its list of problems and its summary, wherever its items are made.
struct ShownRun: Sendable {
    let pipeline: MediaPipeline
    let request: WarmRequest
    var dryRun = false
    /// Whether a dry run asks origins for the sizes of some pictures.
    var samples = false
    /// Returns the rows of a list; nil for a catalog.
    var rows: @Sendable () async -> ListedRows? = { nil }
    /// Returns what queues the items; nil to make them here.
    var queue: (@Sendable () async throws -> any WarmSink)?
    /// Whether the run is over when all is queued.
    var isDetached = false
    /// Whether progress is printed as JSON lines.
    var json = false
    var manifest: WarmManifest?
    /// Whether the run continues without a question if not all fits.
    var agrees = false
    /// Whether stages, amounts and hosts are shown, too.
    var isVerbose = false

    /// Runs until the end, or until SIGINT or SIGTERM. Finished items stay.
    func outcome() async -> Outcome {
        var outcome = Outcome(title: request.title, isDetached: isDetached)
        let monitor = pipeline.warm.monitor(request)
        let problems = WarmProblems()
        do {
            if dryRun {
                outcome.forecast = try await ProcessSignals.cancel {
                    try await pipeline.warm.forecast(request, samples: samples)
                }
                if let rows = await rows() {
                    outcome.forecast?.rows = rows.all
                    outcome.forecast?.doubles = rows.doubles
                    outcome.forecast?.refused = rows.refused
                }
                return outcome
            }
            outcome.summary = try await ProcessSignals.cancel {
                try await warm(monitor, problems)
            }
            if outcome.summary.left > 0, outcome.summary.evicted == 0 {
                outcome.error = CommandError(WarmText.declined(outcome.summary))
            }
        } catch {
            let snapshot = monitor.snapshot
            outcome.summary = snapshot.summary
            outcome.isInterrupted = error is CancellationError
            outcome.error =
                error is CancellationError
                ? CommandError(WarmText.interrupted(snapshot, isQueued: queue != nil)) : error
        }
        outcome.problems = problems.lines
        return outcome
    }

    private func warm(
        _ monitor: WarmMonitor, _ problems: WarmProblems
    ) async throws -> WarmSummary {
        let sink = try await queue?()
        let screen = WarmScreen(title: request.title, isVerbose: isVerbose)
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
            return try await pipeline.warm.run(request, monitor, in: sink) { warmed in
                problems.note(warmed)
                events?.ended(warmed)
                try await manifest?.write(warmed)
            } agrees: { shortage in
                await screen.agrees(WarmText.shortage(shortage), asks: !agrees)
            }
        }
    }
}

extension ShownRun {
    /// The end of a run.
    struct Outcome {
        /// What was warmed, for people.
        var title = ""
        var isDetached = false
        var summary = WarmSummary()
        /// Set if only a forecast was requested.
        var forecast: WarmForecast?
        /// Why the run as a whole failed.
        var error: (any Error)?
        var isInterrupted = false
        /// Items without their first choice, with reasons.
        var problems: [String] = []
        /// Rows of a list of the settings that can't be read.
        var unread = 0
        /// Items that wait for their upload to the shared store.
        var waiting = 0
        /// What the process used; nil if it was not measured.
        var usage: WarmUsage?

        /// - Parameter isVerbose: whether the bounds of the time are told, too.
        func text(isVerbose: Bool = false, hasColors: Bool = false) -> String {
            if let forecast { return WarmText.forecast(forecast) }
            if isDetached { return WarmText.queued(summary) }
            let details = WarmText.details(summary, usage, isVerbose: isVerbose)
            return ([result(hasColors: hasColors)] + details).joined(separator: "\n")
        }

        /// `✓ TV shows  290 of 300  44.8 MB  29 s`
        ///
        /// - Parameter room: columns of the title.
        func result(room: Int = 0, hasColors: Bool) -> String {
            let isGood = !isPartial && error == nil
            let mark = (isGood ? TextColor.green : .red).paint(isGood ? "✓" : "✗", if: hasColors)
            return "\(mark) \(WarmText.result(title, summary, room: room))"
        }

        /// Whether items failed, are not stored or not pinned, or the list may be incomplete.
        var isPartial: Bool {
            summary.isPartial || forecast?.stalePages.isEmpty == false
        }

        /// Whether an item has no picture, or will have none by what is remembered.
        var lacksPictures: Bool { summary.placeholders > 0 || (forecast?.placeholders ?? 0) > 0 }

        var json: String {
            forecast.map { jsonLine($0) }
                ?? jsonLine(WarmEvents.Summary(summary: summary, usage: usage, error: error))
        }
    }
}
