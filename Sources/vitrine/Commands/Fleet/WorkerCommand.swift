import App
import ArgumentParser
import Console
import Fetch
import Fleet
import Glibc
import Logging
import Pipeline
import Serve
import WorkQueue

struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Make thumbnails that warm runs have queued, beside any number of other workers.",
        usage: "vitrine worker [<options>]",
        discussion: """
              vitrine worker --queue nats://10.0.0.1:4222,nats://10.0.0.2:4222

            A job is confirmed once the shared store (s3.* in the settings) has its pictures. If a \
            worker dies, its jobs are delivered to others after half a minute. On SIGTERM or Ctrl-C \
            it takes no further jobs and finishes those under way.
            """)

    @OptionGroup var fleet: FleetOptions

    @Option(
        help: ArgumentHelp(
            "Items under way at once. (default: as many as keep every allowed transfer and every "
                + "core busy)", valueName: "n"))
    var concurrency: Int?

    @Option(
        name: [.long, .customLong("metrics")],
        help: ArgumentHelp(
            "Answer /metrics, /healthz and /readyz there; port 0 takes any free one. (default: "
                + "server.adminAddress in the settings)", valueName: "host:port"))
    var adminAddress: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let concurrency, !(1...10_000).contains(concurrency) {
            throw ValidationError("--concurrency is \(concurrency); expected 1 to 10000.")
        }
    }

    func run() async throws {
        let address = SettingsLayers.Flag("--admin-address", "server.adminAddress", adminAddress)
        var settings = try shared.start(
            fleet.flags + [address].compactMap(\.self), isService: true)
        settings.pipeline.answersHits = false
        try await Assembly.during(settings, as: .worker) { assembly in
            assembly.startUpkeep(settings)
            let (node, store) = try assembly.requireFleet()
            // Before it joins, which takes as long as the queue can't be reached.
            try await assembly.answeringOperations(settings) {
                try await node.join(assembly.pipeline, recipe: store.recipe)
                try await work(assembly, settings, node, store)
            }
        }
    }

    /// Works until a signal.
    private func work(
        _ assembly: Assembly, _ settings: Settings, _ node: FleetNode, _ store: any FleetStore
    ) async throws {
        var policy = WorkerPolicy()
        policy.places =
            concurrency ?? settings.fetch.maxTransfers + 4 * assembly.pipeline.warm.cores
        let worker = Worker(
            node.hub, store, name: node.name, policy: policy,
            logger: Logger(label: "vitrine.worker"), metrics: assembly.workerMetrics)
        node.attach(worker, places: policy.places)
        StandardError.shared.line(
            "vitrine: \(node.name) takes jobs from \(node.hub.address), \(policy.places) items "
                + "at once")
        let signals = await ProcessSignals.of(SIGINT, SIGTERM)
        let stop = Task { for await _ in signals { worker.drain() } }
        defer { stop.cancel() }
        try await worker.run()
        let load = worker.load
        StandardError.shared.line(
            "vitrine: \(ReadableText.counted(load.done, "item")) done, \(load.failed) failed")
    }
}
