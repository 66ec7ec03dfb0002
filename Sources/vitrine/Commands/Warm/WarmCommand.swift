import App
import ArgumentParser
import Catalog
import Fetch
import Imaging
import Pipeline

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
              vitrine warm rijksmuseum object 200107928 this object
              vitrine warm itunes albums "daft punk"    albums that a search finds
              vitrine warm spotify artists "arctic"     artists that a search finds
              vitrine warm spotify artist-albums ID     an artist's albums, the first 100
              vitrine warm tmdb popular --pages 1-5     popular movies; also top-rated, search
              vitrine warm tmdb movie 238 278           these movies
              vitrine warm open-library search dune     a list of a source of the settings
              vitrine warm urls FILE|-                  pictures at these URLs: lines, CSV, TSV or
                                                        JSON lines with url, id, title
              vitrine warm items FILE|-                 these source/kind/id, one a line
              vitrine warm --retry FILE                 what failed according to this manifest

            Spotify needs VITRINE_SPOTIFY_CLIENT_ID and VITRINE_SPOTIFY_CLIENT_SECRET, TMDB needs \
            VITRINE_TMDB_TOKEN.

            Fresh pictures are neither fetched nor rendered again, so an interrupted run continues \
            where it stopped. Exit status: 0 success, 3 some items failed (they are listed) or a page \
            of the list is stale, 1 the run failed or was interrupted, 78 credentials are missing or \
            were rejected.
            """)

    @Argument(
        help:
            "A catalog (tvmaze, rijksmuseum, itunes, spotify, tmdb, or a source of the settings), urls or items."
    )
    var source: String?

    @Argument(help: "One of its lists or kinds of items, such as shows or poster; or a file.")
    var list: String?

    @Argument(help: ArgumentHelp("Ids of items, or the term of a search.", valueName: "what"))
    var what: [String] = []

    @Option(help: ArgumentHelp("Pages of the list, such as 0-3 or 5.", valueName: "pages"))
    var pages: String?

    @Option(help: ArgumentHelp("Stop after so many items.", valueName: "n"))
    var limit: Int?

    @OptionGroup(title: "Search options") var search: SearchOptions

    @OptionGroup var renditions: RenditionOptions

    @Option(
        help: ArgumentHelp(
            "Items under way at once, and transfers to one host at most. (default: as many as "
                + "keep every allowed transfer and every core busy)", valueName: "n"))
    var concurrency: Int?

    @Option(
        help: ArgumentHelp(
            "Requests to one host per second, or in a time: 20, 0.5, 100/1m. Only slower than the "
                + "host's own limit.", valueName: "rate"))
    var rate: WarmRate?

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

    @Flag(help: "Say what would be done, and fetch no picture.")
    var dryRun = false

    @Flag(help: "Print progress as JSON lines, and one JSON object with the summary, last.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let limit, limit < 1 {
            throw ValidationError("--limit is \(limit); expected 1 or more.")
        }
        if let concurrency, !(1...10_000).contains(concurrency) {
            throw ValidationError("--concurrency is \(concurrency); expected 1 to 10000.")
        }
        let isFile = source == "urls" || source == "items"
        if retry == nil, source == nil || list == nil {
            throw ValidationError(
                "Name a catalog and a list, such as tvmaze shows, or a manifest with --retry.")
        }
        if retry != nil, source != nil {
            throw ValidationError("--retry repeats what its manifest names; leave the list out.")
        }
        if isFile || retry != nil, !search.parameters.isEmpty || pages != nil {
            throw ValidationError(
                "A file can't be searched; leave the search options and --pages out.")
        }
        if isFile, !what.isEmpty {
            throw ValidationError("One file is read; \"\(what[0])\" is too much.")
        }
        if let manifest, let retry, manifest == retry || LocalFile.isSame(manifest, retry) {
            throw ValidationError(
                "--manifest and --retry name the same file, which would be overwritten while it "
                    + "is read; choose another for --manifest.")
        }
    }

    func run() async throws {
        var settings = try shared.start()
        let levels = try renditions.chosenLevels(
            of: settings.levels, byDefault: settings.warm.levels)
        let formats = try renditions.chosenFormats(byDefault: settings.warm.formats)
        let wanted = Set(
            levels.flatMap { level in formats.map { Rendition(level: level, format: $0) } })
        settings.fetch.ceiling = HostPolicy(maxConcurrent: concurrency ?? .max, rate: rate?.rate)
        await FileThreads.run { BackgroundPriority.take() }
        // Nothing is read again from memory here.
        settings.cache.memory = 0
        let assembly = try await Assembly.open(settings)
        assembly.startUpkeep(settings)
        var outcome = WarmRun.Outcome()
        let bad = BadLines(retry ?? list ?? "")
        do {
            let names = manifest == nil || dryRun ? nil : ListedNames()
            let request = try await request(assembly.pipeline, wanted, settings, bad, names)
            let manifest: WarmManifest? =
                if let file = self.manifest, !dryRun {
                    try await WarmManifest.create(
                        file, signing: settings.urlSignature, levels: levels, names)
                } else {
                    nil
                }
            outcome = await WarmRun(
                pipeline: assembly.pipeline, request: request, dryRun: dryRun, json: json,
                manifest: manifest
            ).outcome()
        } catch {
            try await assembly.close()
            throw error
        }
        // The background has uploaded most of it during the run.
        let waiting = await assembly.pipeline.uploads?.finish() ?? 0
        try await assembly.close()
        if waiting > 0 {
            StandardError.shared.line(
                "vitrine: \(waiting) items are not in the shared store yet, because it can't be "
                    + "reached. They are uploaded when the service or the next run uses this cache."
            )
        }
        outcome.usage = .now(cores: assembly.pipeline.warm.cores)
        // If the run never began, people get only the error. Programs still expect their JSON
        // object.
        if let error = outcome.error, outcome.summary.items == 0, !json { throw error }
        for line in outcome.problems { StandardError.shared.line(line) }
        print(json ? try outcome.json() : outcome.text)
        if let error = outcome.error { throw error }
        if outcome.isPartial || bad.count > 0 { throw ExitCode(3) }
    }

    private func request(
        _ pipeline: MediaPipeline, _ wanted: Set<Rendition>, _ settings: Settings,
        _ bad: BadLines, _ names: ListedNames?
    ) async throws -> WarmRequest {
        // Each allowed transfer is kept busy while others are rendered and stored.
        let underWay = concurrency ?? settings.fetch.maxTransfers + 4 * pipeline.warm.cores
        var request: WarmRequest
        if let retry {
            request = WarmRequest(
                try await WarmLines.failures(in: retry, of: pipeline, bad), limit: limit,
                renditions: wanted, concurrency: underWay)
            request.name = "--retry \(retry)"
        } else if source == "urls" || source == "items", let list {
            let scope =
                try await source == "urls"
                ? WarmLines.urls(in: list, bad, names: names)
                : WarmLines.items(in: list, of: pipeline, bad)
            request = WarmRequest(
                scope, limit: limit, renditions: wanted, concurrency: underWay)
            request.name = "\(source ?? "") \(list)"
            if source == "urls" { request.source = "url" }
        } else {
            do {
                request = try WarmPlan(
                    source: source ?? "", list: list ?? "", words: what,
                    parameters: search.parameters, pages: pages, limit: limit, of: pipeline
                ).request(renditions: wanted, concurrency: underWay)
            } catch {
                // No request was sent yet, so the source, list or kind does not exist, or an
                // argument is invalid.
                if error.kind == .notFound || error.isBadRequest {
                    throw CommandError.usage(error.reason)
                }
                throw error
            }
        }
        request.onlyMissing = onlyMissing
        request.priority = priority
        request.isDetailed = manifest != nil
        return request
    }
}

extension WarmRequest.Priority: ExpressibleByArgument {}
