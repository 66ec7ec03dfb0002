import App
import ArgumentParser
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
              vitrine warm urls FILE|-                  pictures at these URLs, one a line

            Spotify needs VITRINE_SPOTIFY_CLIENT_ID and VITRINE_SPOTIFY_CLIENT_SECRET, TMDB needs \
            VITRINE_TMDB_TOKEN.

            Fresh pictures are neither fetched nor rendered again, so an interrupted run continues \
            where it stopped. Exit status: 0 success, 3 some items failed (they are listed), 1 the \
            run failed, 78 credentials are missing or were rejected.
            """)

    @Argument(help: "A catalog: tvmaze, rijksmuseum, itunes, spotify, tmdb.")
    var source: String

    @Argument(help: "One of its lists or kinds of items, such as shows or poster.")
    var list: String

    @Argument(help: ArgumentHelp("Ids of items, or the term of a search.", valueName: "what"))
    var what: [String] = []

    @Option(help: ArgumentHelp("Pages of the list, such as 0-3 or 5.", valueName: "pages"))
    var pages: String?

    @Option(help: ArgumentHelp("Stop after so many items.", valueName: "n"))
    var limit: Int?

    @OptionGroup(title: "Search options") var search: SearchOptions

    @OptionGroup var renditions: RenditionOptions

    @Option(help: ArgumentHelp("Items under way at once.", valueName: "n"))
    var concurrency = 32

    @Flag(help: "Say what would be done, and fetch no picture.")
    var dryRun = false

    @Flag(help: "Print one JSON object with the summary, last.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let limit, limit < 1 {
            throw ValidationError("--limit is \(limit); expected 1 or more.")
        }
        if !(1...10_000).contains(concurrency) {
            throw ValidationError("--concurrency is \(concurrency); expected 1 to 10000.")
        }
        if source == "urls", !search.parameters.isEmpty {
            throw ValidationError("URLs can't be searched; leave the search options out.")
        }
    }

    func run() async throws {
        let settings = try shared.start()
        let levels = try renditions.chosenLevels(of: settings.levels)
        let formats = try renditions.chosenFormats()
        let wanted = Set(
            levels.flatMap { level in formats.map { Rendition(level: level, format: $0) } })
        let assembly = try await Assembly.open(settings)
        assembly.startUpkeep(settings)
        let plan: WarmPlan
        do {
            plan =
                try source == "urls"
                ? await WarmPlan.urls(in: list, limit: limit)
                : WarmPlan(
                    source: source, list: list, what: what, search: search.parameters,
                    pages: pages, limit: limit, of: assembly.pipeline)
        } catch {
            try await assembly.close()
            throw error
        }
        let request = WarmRequest(
            plan.scope, limit: plan.limit, renditions: wanted, concurrency: concurrency)
        let run = WarmRun(pipeline: assembly.pipeline, request: request, dryRun: dryRun)
        let outcome = await run.outcome()
        try await assembly.close()
        // If the run never began, people get only the error. Programs still expect their JSON
        // object.
        if let error = outcome.error, outcome.summary.items == 0, !json { throw error }
        print(json ? try outcome.json() : outcome.text)
        if let error = outcome.error { throw error }
        if outcome.summary.failed > 0 { throw ExitCode(3) }
    }
}
