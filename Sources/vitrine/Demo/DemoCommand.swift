import ArgumentParser
import DemoOrigin
import Fetch
import FoundationEssentials
import Imaging
import Pipeline

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show everything on this machine, without Internet.",
        discussion: """
            Starts an origin on a loopback port that answers like the real catalogues, with invented \
            shows and drawn posters; warms a cache of its own from it; then serves that cache until \
            Ctrl-C. The cache is a temporary one and goes with the demo, unless --cache names a \
            directory.
            """)

    @Option(help: ArgumentHelp("Port to serve on; 0 takes any free one.", valueName: "port"))
    var port: String?

    @Option(help: ArgumentHelp("Shows to invent.", valueName: "n"))
    var shows = 300

    @Option(help: ArgumentHelp("Everything invented follows from this number.", valueName: "n"))
    var seed: UInt64 = DemoOriginConfiguration().seed

    @Flag(help: "Warm, serve, look once, and stop.")
    var once = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if !(1...20_000).contains(shows) {
            throw ValidationError("--shows is \(shows); expected 1 to 20000.")
        }
    }

    func run() async throws {
        // A round that nobody watches takes any port, so that it never meets a taken one.
        let wanted = port ?? (once ? "0" : nil)
        var settings = try shared.start(
            wanted.map { [FlagValue(name: "--port", path: "server.port", texts: [$0])] } ?? [])
        var configuration = DemoOriginConfiguration()
        configuration.seed = seed
        configuration.shows = shows
        let origin = DemoOrigin(configuration)
        let running = try await origin.start()
        let place = try await DemoPlace.make(shared.cache == nil ? nil : settings.cache.directory)
        settings.cache.directory = place.cache
        let outcome: Result<Void, any Error>
        do {
            settings.fetch = try await place.lead(settings.fetch, to: running)
            try await round(settings, origin)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await origin.stop()
        await place.leave()
        try outcome.get()
    }

    private func round(_ settings: Settings, _ origin: DemoOrigin) async throws {
        let assembly = try await Assembly.open(settings)
        let outcome: Result<Void, any Error>
        do {
            try await warm(assembly.pipeline, origin)
            try await serve(assembly.pipeline, settings)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        try await assembly.close()
        try outcome.get()
    }

    private func warm(_ pipeline: MediaPipeline, _ origin: DemoOrigin) async throws {
        let expected = origin.catalogue.expectations()
        print("Warming \(expected.shows) invented shows, all levels, from a demo origin.")
        let lastPage = (origin.catalogue.shows.last?.id ?? 0) / 250
        let plan = try WarmPlan(
            source: "tvmaze", list: "shows", what: [], pages: "0-\(lastPage)", limit: nil,
            of: pipeline)
        let levels = pipeline.configuration.levels
        let renditions = levels.flatMap { level in
            ThumbnailFormat.standard.map { Rendition(level: level, format: $0) }
        }
        let run = WarmRun(
            pipeline: pipeline, renditions: Set(renditions), concurrency: 32, dryRun: false)
        let outcome = await run.outcome(of: plan)
        if let error = outcome.error { throw error }
        print(outcome.text)
        guard outcome.summary.items == expected.shows, outcome.summary.failed == 0,
            outcome.summary.placeholders == expected.placeholders
        else {
            throw CommandError(
                "The demo's catalogue has \(expected.shows) shows, \(expected.placeholders) of "
                    + "them without a picture; the summary above says otherwise.")
        }
    }

    private func serve(_ pipeline: MediaPipeline, _ settings: Settings) async throws {
        let isOnce = once
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let server = ServerRun(pipeline, settings) { port in continuation.yield(port) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await server.run()
            }
            if let port = await ports.first(where: { _ in true }) {
                let visit = DemoVisit(address: "http://\(settings.server.host):\(port)")
                if isOnce {
                    try await visit.run()
                    await server.stop()
                } else {
                    print(visit.invitation)
                }
            }
            try await group.waitForAll()
        }
    }
}
