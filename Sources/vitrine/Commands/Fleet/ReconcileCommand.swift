import App
import ArgumentParser
import Console
import Fleet
import Pipeline
import Threads

struct ReconcileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Compare a list with the shared store, and queue what is missing there.",
        discussion: """
              vitrine reconcile tvmaze shows --pages 0-3 --queue nats://10.0.0.1:4222
              vitrine reconcile items list.txt --dry-run

            A queue may lose a job, and a store may lose an object: this finds both. Run it on a \
            schedule. vitrine warm with a queue ends with it. Exit status: 0 nothing is missing, 3 \
            something was, 1 the run failed.
            """)

    @OptionGroup var fleet: FleetOptions

    @Flag(help: "Say what is missing, and queue nothing.")
    var dryRun = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var list: WarmListOptions

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        var settings = try shared.start(fleet.flags)
        settings.pipeline.answersHits = false
        let bad = BadLines(list.file?.path ?? "")
        let report = try await withEnd(bad.finish) {
            try await Assembly.during(settings, as: .command) { assembly in
                try await ProcessSignals.cancel { try await check(assembly, bad) }
            }
        }
        print(json ? try compactJSON(report) : report.text)
        if report.missing > 0 || bad.count > 0 { throw ExitCode(3) }
    }

    /// The JSON object has these names.
    private struct Report: Encodable {
        var items: Int
        var missing: Int
        var queued: Bool
        /// The first of them.
        var named: [String]

        var text: String {
            guard missing > 0 else { return "None of \(items) items is missing." }
            let rest = missing > named.count ? ["… and \(missing - named.count) more"] : []
            let end = queued ? "; they are queued" : ""
            return
                (["\(missing) of \(items) items are missing\(end):"] + named.map { "  \($0)" }
                + rest)
                .joined(separator: "\n")
        }
    }

    private func check(_ assembly: Assembly, _ bad: BadLines) async throws -> Report {
        let (node, store) = try assembly.requireFleet()
        try await node.join(assembly.pipeline, recipe: store.recipe)
        let request = try await list.request(
            assembly.pipeline, renditions: [], concurrency: 1, bad)
        let run = FleetRun(node.hub, assembly.pipeline.warm, store, request, FleetRun.Options())
        let found = try await run.reconcile(queuing: !dryRun)
        return Report(
            items: found.listed, missing: found.missing, queued: !dryRun && found.missing > 0,
            named: found.named)
    }
}
