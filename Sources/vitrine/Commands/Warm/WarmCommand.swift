import App
import ArgumentParser
import Catalog
import Console
import Fetch
import Fleet
import Glibc
import Imaging
import Pipeline
import Threads
import WorkQueue

struct WarmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warm",
        abstract: "Fill the cache ahead of the first request.",
        discussion: """
              vitrine warm tvmaze shows --pages 0-3     the shows of these pages
              vitrine warm tvmaze search "girls"        results of a search
              vitrine warm tvmaze show 1 2 3            these shows
              vitrine warm tvmaze poster 1 2 3          their main posters
              vitrine warm rijksmuseum objects --title Nachtwacht --limit 100
                                                        what a search finds, page by page
              vitrine warm tvmaze shows --pages 0-3 --genre Drama --from 2010
                                                        shows that match these filters
              vitrine warm rijksmuseum object 200107928 this object
              vitrine warm itunes albums "daft punk"    albums that a search finds
              vitrine warm spotify artists "arctic"     artists that a search finds
              vitrine warm spotify artists/ID/albums    an artist's albums, the first 100
              vitrine warm tmdb movies/popular --pages 1-5
                                                        films; also movies/top-rated
              vitrine warm tmdb movie 238 278           these movies
              vitrine warm open-library search dune     a list of a source of your own
              vitrine warm posters                      all pictures of a configured list
              vitrine warm pictures tree                all pictures of a folder
              vitrine warm pictures files 2024/summer   pictures of one directory
              vitrine warm posters.csv                  pictures at URLs: lines, CSV, TSV
              vitrine warm urls FILE|-                  or JSON lines; the column with the
                                                        URLs is found by its values
              vitrine warm items FILE|-                 these source/kind/id, one a line
              vitrine warm --retry FILE                 what this manifest lists as failed
              vitrine warm posters.csv --retry-placeholders
                                                        also what had no picture
              vitrine warm tvmaze shows --queue URL     with the workers of a fleet

            Lists have the names that they have below /v1: GET /v1/tmdb/movies/popular.

            Spotify needs VITRINE_SPOTIFY_CLIENT_ID and VITRINE_SPOTIFY_CLIENT_SECRET, TMDB needs \
            VITRINE_TMDB_TOKEN.

            Fresh pictures are neither fetched nor rendered again, so an interrupted run continues \
            where it stopped. Exit status: 0 success, 3 some items failed (they are listed) or were evicted, \
            or a page of the list is stale, with --strict also if an item has no picture, 1 the run failed or was interrupted, 78 credentials are missing or \
            were rejected.
            """)

    @OptionGroup var renditions: RenditionOptions

    @Option(
        help: ArgumentHelp(
            "Items under way at once, and transfers to one host at most. (default: as many as "
                + "keep every allowed transfer and every core busy)", valueName: "n"))
    var concurrency: Int?

    @Option(
        help: ArgumentHelp(
            "Requests to one host per second, or in a time: 20, 0.5, 100/1m. Only lowers the "
                + "host's own limit.", valueName: "rate"))
    var rate: HostPolicy.Rate?

    @Flag(help: "Leave expired pictures alone; make only what is not stored.")
    var onlyMissing = false

    @Option(
        help: ArgumentHelp(
            "Which items go first: list (as listed), missing (not stored yet) or stale (expired).",
            valueName: "which"))
    var priority = WarmRequest.Priority.list

    @Option(
        help: ArgumentHelp(
            "Write one JSON line for each item: status, digest, size, thumbhash, paths, reason.",
            valueName: "file"))
    var manifest: String?

    @Option(
        help: ArgumentHelp("Repeat what failed according to this manifest.", valueName: "file"))
    var retry: String?

    @Flag(
        help: ArgumentHelp(
            "Try items again that had no picture, although that is still remembered. With --retry: "
                + "those of the manifest, too."))
    var retryPlaceholders = false

    @Flag(help: "Exit with status 3 if an item has no picture.")
    var strict = false

    @Flag(help: "Don't ask whether to continue if not all fits into cache.budget.")
    var yes = false

    @Flag(help: "Pin what is made, so that it is not evicted.")
    var pin = false

    @Flag(
        help: ArgumentHelp(
            "Say what would be done, and fetch no picture. Asks the origins of at most 20 pictures "
                + "for their sizes."))
    var dryRun = false

    @Flag(help: "With --dry-run: ask no origin.")
    var noSample = false

    @OptionGroup var fleet: FleetOptions

    @Flag(help: "With --queue: queue the items and don't wait for the workers.")
    var detach = false

    @Flag(
        help: ArgumentHelp(
            "Ask the origins again, although pictures are fresh. With --queue: queue items even if "
                + "the same were queued seconds ago."))
    var force = false

    @Flag(help: "With --queue: before the jobs of other runs.")
    var urgent = false

    @Flag(help: "Show stages, amounts and hosts, and at the end what bounded the time.")
    var verbose = false

    @Flag(help: "Print progress as JSON lines, and one JSON object with the summary, last.")
    var json = false

    @OptionGroup var scope: WarmListOptions

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let concurrency, !(1...10_000).contains(concurrency) {
            throw ValidationError("--concurrency is \(concurrency); expected 1 to 10000.")
        }
        if retry == nil, scope.source == nil {
            throw ValidationError(
                "Name a catalog and a list, such as tvmaze shows, a file such as posters.csv, or a "
                    + "manifest with --retry.")
        }
        if retry != nil, scope.source != nil {
            throw ValidationError("--retry repeats what its manifest names; leave the list out.")
        }
        if retry != nil, scope.isSearch {
            throw ValidationError(
                "A file can't be searched; leave the search options and --pages out.")
        }
        if let manifest, let retry, manifest == retry || LocalFile.isSame(manifest, retry) {
            throw ValidationError(
                "--manifest and --retry name the same file, which would be overwritten while it "
                    + "is read; choose another for --manifest.")
        }
    }

    func run() async throws {
        var settings = try shared.start(fleet.flags)
        let levels = try renditions.chosenLevels(
            of: settings.levels, byDefault: settings.pipeline.warm.levels)
        let formats = try renditions.chosenFormats(byDefault: settings.pipeline.warm.formats)
        let wanted = Set(
            levels.flatMap { level in formats.map { Rendition(level: level, format: $0) } })
        settings.fetch.ceiling = HostPolicy(maxConcurrent: concurrency ?? .max, rate: rate)
        settings.pipeline.answersHits = false
        let bad = BadLines(retry ?? scope.file?.path ?? "")
        let isQueued = settings.queue != nil && !dryRun
        if isQueued { try checkQueueOptions(settings) }
        if detach, settings.queue == nil {
            throw CommandError.usage(
                "--detach leaves the items to the workers of a queue; name one with --queue URL, or "
                    + "leave it out.")
        }
        await FileThreads.run { BackgroundPriority.take() }
        let outcome = try await Assembly.during(settings, as: isQueued ? .command : nil) {
            assembly in
            if !isQueued { assembly.startUpkeep(settings) }
            return try await warmed(assembly, settings, levels, wanted, bad, isQueued: isQueued)
        }
        if outcome.waiting > 0 {
            StandardError.shared.line(
                "vitrine: \(outcome.waiting) items are not in the shared store yet, because it can't be "
                    + "reached. They are uploaded when the service or the next run uses this cache."
            )
        }
        // If the run never began, people get only the error. Programs still expect their JSON
        // object.
        if let error = outcome.error, outcome.summary.items == 0, !json { throw error }
        bad.finish()
        if outcome.unread > 0, let source = scope.source {
            StandardError.shared.line(
                "\(source): \(ReadableText.counted(outcome.unread, "row")) can't be read.")
        }
        for line in outcome.problems { StandardError.shared.line(line) }
        print(
            json
                ? outcome.json
                : outcome.text(
                    isVerbose: verbose, hasColors: Terminal.showsColors(STDOUT_FILENO)))
        if let error = outcome.error { throw error }
        let isIncomplete = strict && outcome.lacksPictures
        let unread = bad.count + outcome.unread
        let read = outcome.forecast?.items ?? outcome.summary.items
        if unread > 0, read == 0 { throw ExitCode.failure }
        if outcome.isPartial || isIncomplete || unread > 0 { throw ExitCode(3) }
    }

    /// Runs until the end, or until SIGINT or SIGTERM.
    private func warmed(
        _ assembly: Assembly, _ settings: Settings, _ levels: [Level], _ wanted: Set<Rendition>,
        _ bad: BadLines, isQueued: Bool
    ) async throws -> ShownRun.Outcome {
        let isListed = retry == nil && scope.file?.kind == "urls"
        let source = scope.settingsList(assembly.pipeline)
        let list = source?.file
        let names = dryRun ? ListedNames(isKept: false) : manifest.map { _ in ListedNames() }
        let request = try await request(
            assembly.pipeline, wanted, settings, bad, names, isQueued: isQueued)
        let manifest: WarmManifest? =
            if let file = self.manifest, !dryRun {
                try await WarmManifest.create(
                    file, signing: settings.urlSignature, levels: levels, names)
            } else {
                nil
            }
        var run = ShownRun(pipeline: assembly.pipeline, request: request)
        run.dryRun = dryRun
        run.samples = !noSample
        run.rows = {
            if let list { return try? await list.rows() }
            guard isListed, let names else { return nil }
            let (items, doubles) = names.counts
            return ListedRows(
                all: items + doubles + bad.count, doubles: doubles, refused: bad.count)
        }
        if isQueued {
            run.isDetached = detach
            run.queue = { [options = queueOptions] in
                let (node, store) = try assembly.requireFleet()
                try await node.join(assembly.pipeline, recipe: store.recipe)
                return FleetRun(node.hub, assembly.pipeline.warm, store, request, options)
            }
        }
        run.json = json
        run.manifest = manifest
        run.agrees = yes
        run.isVerbose = verbose
        var outcome = await run.outcome()
        outcome.unread = (try? await list?.rows())?.refused ?? 0
        if manifest != nil, outcome.unread > 0, let source {
            try await names?.noteRows(of: source, limit: scope.limit)
        }
        try await manifest?.finish()
        if isQueued { return outcome }
        // The background has uploaded most of it during the run.
        outcome.waiting = await assembly.pipeline.uploads?.finish() ?? 0
        outcome.usage = .now(
            cores: assembly.pipeline.warm.cores, children: assembly.pipeline.status.childSeconds)
        return outcome
    }

    /// Workers make what their settings name, so that equal items are equal everywhere.
    private func checkQueueOptions(_ settings: Settings) throws {
        if let name = settings.localNames.first(where: { $0 == scope.source }) {
            throw CommandError.usage(
                "\(name) is a folder or a list of this machine, which workers don't have; leave "
                    + "--queue out.")
        }
        if pin {
            throw CommandError.usage(
                "--pin has no meaning with a queue: nothing is evicted from the shared store. Leave it "
                    + "out.")
        }
        if manifest != nil, scope.file?.path == "-" {
            throw CommandError.usage(
                "With a queue and --manifest a list is read twice, which standard input can't be; name "
                    + "a file.")
        }
        if manifest != nil, detach {
            throw CommandError.usage(
                "--manifest says what came of each item, for which --detach doesn't wait; leave one of "
                    + "them out.")
        }
        let given = [
            ("--levels", renditions.levels != nil), ("--formats", renditions.formats != nil),
            ("--concurrency", concurrency != nil), ("--rate", rate != nil),
            ("--priority", priority != .list), ("--retry-placeholders", retryPlaceholders),
        ].filter(\.1)
        guard given.isEmpty else {
            throw CommandError.usage(
                "\(given[0].0) has no meaning with a queue: workers follow their own settings. Leave "
                    + "it out, or warm without a queue with --queue \"\".")
        }
    }

    private var queueOptions: FleetRun.Options {
        var options = FleetRun.Options()
        options.isForced = force
        options.lane = urgent ? .high : .low
        options.onlyMissing = onlyMissing
        options.isDetached = detach
        return options
    }

    private func request(
        _ pipeline: MediaPipeline, _ wanted: Set<Rendition>, _ settings: Settings,
        _ bad: BadLines, _ names: ListedNames?, isQueued: Bool
    ) async throws -> WarmRequest {
        // With a queue, items end when the list is read again.
        let namedReading = isQueued ? 1 : 0
        // Each allowed transfer is kept busy while others are rendered and stored.
        let underWay = concurrency ?? settings.fetch.maxTransfers + 4 * pipeline.warm.cores
        var request: WarmRequest
        if let retry {
            let lines = WarmLines(file: retry, bad: bad, names: names, namedReading: namedReading)
            request = WarmRequest(
                try await lines.failures(of: pipeline, placeholders: retryPlaceholders),
                limit: scope.limit, renditions: wanted, concurrency: underWay)
            request.name = "--retry \(retry)"
            request.title = "Failures of \(retry)"
        } else {
            request = try await scope.request(
                pipeline, renditions: wanted, concurrency: underWay, bad, names,
                namedReading: namedReading)
        }
        request.onlyMissing = onlyMissing
        request.again = force ? .all : retryPlaceholders || retry != nil ? .placeholders : .none
        request.priority = priority
        request.isDetailed = manifest != nil
        request.isPinned = pin
        return request
    }
}

extension WarmRequest.Priority: ExpressibleByArgument {}

/// A rate on the command line: `20` requests per second, or `100/1m`.
extension HostPolicy.Rate: ExpressibleByArgument {
    package init?(argument: String) {
        if let rate = Self(text: argument) {
            self = rate
            return
        }
        guard let perSecond = Double(argument), (0.001...10_000).contains(perSecond) else {
            return nil
        }
        // Less than one a second is one in a longer time.
        let count = max(1, perSecond.rounded(.down))
        self.init(count: Int(count), per: .seconds(count / perSecond))
    }
}
