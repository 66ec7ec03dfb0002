import App
import ArgumentParser
import Catalog
import Console
import Pipeline

struct SourceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Name every source with its kinds of items and its lists.")

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
