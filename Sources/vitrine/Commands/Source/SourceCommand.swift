import App
import ArgumentParser
import Catalog
import Console
import Pipeline

struct SourceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "source",
        abstract: "Show the sources, and test one that the settings describe.",
        subcommands: [SourceListCommand.self, SourceTestCommand.self])
}

struct SourceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Name every source with its kinds of items and its lists.",
        usage: "vitrine source list [<options>]")

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.load().settings
        let sources = Assembly.sources(settings)
        print(json ? try compactJSON(["sources": Self.lines(sources)]) : Self.text(sources))
    }

    /// What `--json` prints of a source.
    struct Line: Encodable {
        var name: String
        var title: String
        var kinds: [String]
        /// With the names of their parameters.
        var lists: [String: [String]]
        var mayCrop: Bool
    }

    static func lines(_ sources: Sources) -> [Line] {
        sources.all.map { source in
            let lists = source.lists.map { ($0.name, $0.parameters.map(\.name)) }
            return Line(
                name: source.name, title: source.title, kinds: source.kinds,
                lists: Dictionary(lists, uniquingKeysWith: { first, _ in first }),
                mayCrop: source.mayCrop)
        }
    }

    /// Returns a paragraph for each source.
    static func text(_ sources: Sources) -> String {
        sources.all.map { source in
            let kinds = source.kinds.map { "\(source.name)/\($0)/{id}" }
            let lists = source.lists.map { "\(source.name)/\($0.text)" }
            let terms = source.mayCrop ? [] : ["its pictures must not be cropped"]
            return (["\(source.name)  \(source.title)"] + (kinds + lists + terms).map { "  \($0)" })
                .joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
