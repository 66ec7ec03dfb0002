import App
import ArgumentParser
import Console
import Fleet
import FoundationEssentials
import Pipeline
import WorkQueue

/// A warm run with the workers of a fleet, with its display and its summary.
struct WarmFleetRun {
    let settings: Settings
    let options: FleetRun.Options
    /// Whether nothing waits for the workers.
    let isDetached: Bool
    let json: Bool

    /// Queues the list, waits for the workers, and prints what they did. If it is interrupted, the
    /// workers go on, and the same command continues it.
    func run(
        _ request: @escaping @Sendable (MediaPipeline) async throws -> WarmRequest
    ) async throws {
        let assembly = try await Assembly.open(settings, as: .command)
        let outcome: Result<Outcome, any Error>
        do {
            outcome = .success(
                try await Interruption.cancels { [self] in
                    try await end(assembly, try await request(assembly.pipeline))
                })
        } catch is CancellationError {
            outcome = .failure(
                CommandError(
                    "Interrupted. The workers go on with what is queued. Repeat the command to "
                        + "continue."))
        } catch {
            outcome = .failure(error)
        }
        try await assembly.close()
        let result = try outcome.get()
        print(json ? try result.json() : result.text)
        if result.isPartial { throw ExitCode(3) }
    }

    private func end(_ assembly: Assembly, _ request: WarmRequest) async throws -> Outcome {
        let (node, store) = try assembly.requireFleet()
        try await node.join(assembly.pipeline, recipe: store.recipe)
        let run = FleetRun(node.hub, assembly.pipeline.warm, store, request, options)
        let screen = WarmScreen(title: "\(request.title), with \(node.hub.address)")
        let events = json ? WarmEvents() : nil
        defer { screen.finish() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    do { try await Task.sleep(for: screen.interval) } catch { return }
                    let snapshot = Self.shown(run.snapshot)
                    screen.show(snapshot)
                    events?.progress(snapshot)
                }
            }
            defer { group.cancelAll() }
            try await run.queue()
            if isDetached {
                return Outcome(id: run.id, queued: run.snapshot.listed, result: nil)
            }
            return Outcome(id: run.id, queued: run.snapshot.listed, result: try await run.wait())
        }
    }

    /// The run as a display of one machine's run shows it.
    private static func shown(_ now: FleetRun.Snapshot) -> WarmMonitor.Snapshot {
        var shown = WarmMonitor.Snapshot()
        shown.summary = now.progress.summary
        shown.summary.seconds = now.seconds
        shown.total = now.isAllListed ? now.listed : nil
        shown.listed = now.listed
        shown.waiting = now.backlog
        return shown
    }

    struct Outcome: Sendable {
        var id: String
        /// Items of the list.
        var queued: Int
        /// Nil if nothing waited for the workers.
        var result: FleetRun.Result?

        /// Whether the store lacks something, or the list may be incomplete.
        var isPartial: Bool {
            result.map { $0.missing > 0 || !$0.stalePages.isEmpty } ?? false
        }

        /// The JSON object has these names.
        private struct Document: Encodable {
            var run: String
            var listed: Int
            var summary: WarmSummary?
            /// Items that workers gave up.
            var dead: Int?
            /// Jobs that were tried again.
            var retries: Int?
            /// Items that the shared store lacks, and the first of them.
            var missing: Int?
            var named: [String]?
        }

        func json() throws -> String {
            var summary = result?.progress.summary
            if let result { summary?.seconds = result.seconds }
            return String(
                decoding: try WarmEvents.encoder.encode(
                    Document(
                        run: id, listed: queued, summary: summary, dead: result?.progress.dead,
                        retries: result?.progress.retries, missing: result?.missing,
                        named: result?.named)), as: UTF8.self)
        }

        var text: String {
            guard let result else {
                return "\(ProgressReport.counted(queued, "item")) queued. vitrine cluster status "
                    + "shows the workers; repeat the command without --detach to wait for them."
            }
            let done = result.progress.summary
            var lines = result.progress.problems
            lines.append(
                "\(ProgressReport.counted(done.items, "item")): "
                    + "\(ProgressReport.counted(done.fallbacks, "fallback")), "
                    + "\(ProgressReport.counted(done.placeholders, "placeholder")), "
                    + "\(result.progress.dead) given up, "
                    + "\(ProgressReport.counted(result.progress.retries, "job")) tried again")
            lines.append(
                "\(ProgressReport.counted(done.originals, "original")) fetched, "
                    + "\(ProgressReport.megabytes(done.bytesFetched)); "
                    + "\(ProgressReport.counted(done.thumbnails, "thumbnail")) rendered; "
                    + "\(ProgressReport.decimal(result.seconds)) s")
            lines += result.stalePages.map { "stale: \($0.page) can't be read from its source" }
            if result.missing == 0 {
                lines.append(
                    "The shared store lacks nothing of \(ProgressReport.counted(result.listed, "item"))."
                )
            } else {
                let more = result.missing > result.named.count ? ", …" : ""
                lines.append(
                    "The shared store lacks \(ProgressReport.counted(result.missing, "item")): "
                        + result.named.joined(separator: ", ") + more)
            }
            return lines.joined(separator: "\n")
        }
    }
}
