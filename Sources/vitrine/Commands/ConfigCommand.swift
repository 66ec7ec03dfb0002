import App
import ArgumentParser
import Catalog
import Console
import Fetch
import FoundationEssentials
import Imaging
import Threads

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the settings in force and where each came from; secrets stay hidden.",
        usage: "vitrine config [<options>]",
        discussion: """
            It begins with the file of the settings, the directory of the cache and, if a service with these \
            settings runs on this machine, the limits that are in force there.

            With --check it prints every mistake in the settings, with file and line, instead. If there is \
            none, it tries the files of lists, of the placeholder and of certificates. The status is 78 if there is a \
            mistake.
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print nothing but every mistake.")
    var check = false

    @Flag(help: "Print config/vitrine.yaml with every key at its default.")
    var defaults = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        if defaults {
            print(ConfigurationKey.document(), terminator: "")
            return
        }
        let environment = ProcessEnvironment.values
        if check {
            let loaded = shared.check(environment: environment)
            var problems = loaded.problems.map(\.description)
            if problems.isEmpty { problems = await Self.complaints(loaded.settings) }
            for problem in problems { StandardError.shared.line("vitrine: \(problem)") }
            if !problems.isEmpty { throw ExitCode(CommandError.Status.configuration.rawValue) }
            return
        }
        let loaded = try shared.load(environment: environment)
        let listing = ConfigurationListing(loaded)
        let whereabouts = await Whereabouts(loaded.settings, file: shared.path)
        if json {
            print(try prettyJSON(ListingDocument(whereabouts: whereabouts, listing: listing)))
        } else {
            for line in whereabouts.lines { print(line) }
            for line in TextTable(widest: [1: 28], rows: listing.rows).lines { print(line) }
        }
        for warning in loaded.warnings { StandardError.shared.line(warning) }
    }

    /// Reads the files that a start reads after the settings. Returns the sentences with which it would
    /// end.
    private static func complaints(_ settings: Settings) async -> [String] {
        var attempts: [() async throws -> Void] = [
            { _ = try await FileThreads.run { try ServeCommand.identity(settings) } },
            { try await FileThreads.run { try Renderer.open(settings) }.shutdown() },
            { try await Fetcher(settings.fetch).shutdown() },
        ]
        if let file = settings.traces?.certificates {
            var fetching = settings.fetch
            fetching.caFile = file
            attempts.append { [fetching] in try await Fetcher(fetching).shutdown() }
        }
        var complaints = await FileThreads.run {
            settings.lists.compactMap { ListFile.shortcoming(of: $0) }
        }
        for attempt in attempts {
            do { try await attempt() } catch { complaints.append(CommandError(error).description) }
        }
        return complaints
    }

    /// The settings, with where they are from and what holds in a running service.
    private struct ListingDocument: Encodable {
        var whereabouts: Whereabouts
        var listing: ConfigurationListing

        func encode(to encoder: any Encoder) throws {
            try listing.encode(to: encoder)
            try whereabouts.encode(to: encoder)
        }
    }

    func validate() throws {
        if [json, defaults, check].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --json, --defaults and --check.")
        }
    }
}
