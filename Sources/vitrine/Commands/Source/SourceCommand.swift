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

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.load().settings
        print(Self.text(Assembly.sources(settings)))
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
