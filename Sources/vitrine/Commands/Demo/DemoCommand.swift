import App
import ArgumentParser
import Console
import Fetch
import FoundationEssentials
import Glibc
import Imaging
import Pipeline
import Serve
import Threads

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show everything on this machine, without Internet.",
        usage: "vitrine demo [<options>]",
        discussion: """
            Starts vitrine-demo, installed beside this program: an origin on a loopback port that answers \
            like the real catalogs, with invented contents and drawn pictures. Warms a cache of its own from \
            it, then serves that cache until Ctrl-C. The cache is temporary and is removed with the demo, \
            unless --cache names a directory.
            """)

    @Option(help: ArgumentHelp("Port to serve on; 0 takes any free one.", valueName: "port"))
    var port: String?

    @Option(help: ArgumentHelp("Shows to invent.", valueName: "n"))
    var shows = 300

    @Option(help: ArgumentHelp("Everything invented follows from this number.", valueName: "n"))
    var seed: UInt64?

    @Flag(help: "Warm, serve, look once, and stop.")
    var once = false

    @Flag(help: "Show stages, amounts and hosts while it is warmed.")
    var verbose = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if !(1...20_000).contains(shows) {
            throw ValidationError("--shows is \(shows); expected 1 to 20000.")
        }
    }

    func run() async throws {
        // A run without a visitor takes any free port.
        let wanted = port ?? (once ? "0" : nil)
        var settings = try shared.start(
            [SettingsLayers.Flag("--port", "server.port", wanted)].compactMap(\.self))
        // Visits of its own gallery would bury what it says.
        settings.server.accessLog = .off
        let (shows, seed) = (shows, seed)
        let program = try await FileThreads.run { () throws(CommandError) in
            try DemoProgram.start(shows: shows, seed: seed)
        }
        try await withEnd({ await FileThreads.run { program.stop() } }) {
            try await show(program.announcement, settings)
        }
    }

    private func show(_ origin: DemoAnnouncement, _ settings: Settings) async throws {
        var settings = settings
        let place = try await DemoPlace.make(shared.cache == nil ? nil : settings.cacheDirectory)
        settings.cacheDirectory = place.cache
        try await withEnd(place.leave) {
            settings = try await place.lead(settings, to: origin)
            try await Assembly.during(settings) { assembly in
                assembly.startUpkeep(settings)
                try await serve(assembly, settings, origin)
            }
        }
    }

    private func warm(_ pipeline: MediaPipeline, _ origin: DemoAnnouncement) async throws {
        let plans = try origin.sources.map { source in
            try WarmPlan(
                source: source.source, list: source.list, words: source.words,
                pages: source.pages, limit: source.limit, of: pipeline)
        }
        let room = plans.map(\.title.count).max() ?? 0
        for (source, plan) in zip(origin.sources, plans) {
            try await warm(pipeline, source, plan, room: room)
        }
    }

    /// Every level of what the demo has of one source; its summary must say what is known before.
    ///
    /// - Parameter room: columns of the title.
    private func warm(
        _ pipeline: MediaPipeline, _ source: DemoAnnouncement.Source, _ plan: WarmPlan, room: Int
    ) async throws {
        let expected = source.expected
        let renditions = pipeline.configuration.levels.flatMap { level in
            ThumbnailFormat.standard.map { Rendition(level: level, format: $0) }
        }
        let request = plan.request(renditions: Set(renditions), concurrency: 32)
        let outcome = await ShownRun(
            pipeline: pipeline, request: request, isVerbose: verbose
        ).outcome()
        // A server that is stopped while it warms has stopped as it was told.
        if outcome.isInterrupted, !once { throw CancellationError() }
        if let error = outcome.error { throw error }
        let hasColors = Terminal.showsColors(STDOUT_FILENO)
        let details = WarmText.details(outcome.summary, nil, isVerbose: true)
        let lines = [outcome.result(room: room, hasColors: hasColors)] + (verbose ? details : [])
        Self.say(lines.joined(separator: "\n"))
        let summary = outcome.summary
        guard summary.items == expected.items, summary.failed == 0,
            summary.placeholders == expected.placeholders
        else {
            throw CommandError(
                "The demo's \(source.source) has \(expected.items) \(source.contents), "
                    + "\(expected.placeholders) of them without a picture; the summary above says "
                    + "otherwise.")
        }
    }

    private func serve(
        _ assembly: Assembly, _ settings: Settings, _ origin: DemoAnnouncement
    ) async throws {
        let isOnce = once
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let server = ServerRun(assembly, settings) { port, _ in continuation.yield(port) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await server.run()
            }
            // Without a port it is in use, which is known before anything is warmed.
            if let port = await ports.first(where: { _ in true }) {
                let visit = DemoVisit(
                    address: "http://\(settings.server.host):\(port)", sources: origin.sources)
                Self.say("The gallery is at \(visit.address)/ and fills while it is warmed.")
                do {
                    try await warm(assembly.pipeline, origin)
                    if isOnce {
                        try await visit.run(Self.say)
                    } else {
                        let hasColors = Terminal.showsColors(STDOUT_FILENO)
                        Self.say(visit.invitation(hasColors: hasColors))
                    }
                } catch is CancellationError {
                    server.stop()
                } catch {
                    server.stop()
                    throw error
                }
                if isOnce { server.stop() }
            }
            try await group.waitForAll()
        }
    }

    /// Prints a line that shows at once, through a pipe, too.
    static func say(_ line: String) { Terminal.write("\(line)\n", to: STDOUT_FILENO) }
}
