import App
import ArgumentParser
import Catalog
import Console
import Imaging
import Pipeline

struct SourceTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Show step by step what the description of a source reads from its answers.",
        usage: "vitrine source test <name> <what> [<words> ...] [<options>]",
        discussion: """
              vitrine source test shop 17                         an item
              vitrine source test open-library work/OL893415W     an item of several kinds
              vitrine source test open-library search dune page=2 a page of a list
              vitrine source test open-library subject subject=love

            Asks the source, and stores nothing of it. Exit status: 0 success, 1 the source could not be \
            read, or the item has no picture, or the list no items.
            """)

    @Argument(help: "A source of the settings.")
    var name: String

    @Argument(help: ArgumentHelp("An id, kind/id, or the name of a list.", valueName: "what"))
    var what: String

    @Argument(help: ArgumentHelp("Words and name=value of a list.", valueName: "words"))
    var words: [String] = []

    @Flag(help: "Print one JSON object with all that was asked, found and missed.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start()
        let source = try Self.source(name, settings)
        let subject = try Self.subject(what, words, source)
        let boxes = settings.levels.map { level in
            (name: level.name, box: PictureBox(width: level.width, height: level.height))
        }
        let test = try await Assembly.during(settings) { assembly in
            await SourceTest(subject, of: source, api: assembly.pipeline.catalog.api)
        }
        print(json ? try compactJSON(SourceTest.Document(test)) : test.text(levels: boxes))
        if let failure = test.failure { throw failure }
        if test.isEmpty { throw ExitCode.failure }
    }

    static func source(
        _ name: String, _ settings: Settings
    ) throws(CommandError) -> ConfiguredSource {
        let sources = Assembly.sources(settings)
        if let source = sources.all.first(where: { $0.name == name }) {
            if let configured = source as? ConfiguredSource { return configured }
            throw .usage(
                "\(name) is built in; use vitrine explain for one of its items.")
        }
        let known = settings.sources.map(\.name)
        throw .usage(
            known.isEmpty
                ? "The settings describe no source. Name a file with --config, or in sourceFiles."
                : "The settings describe no source “\(name)”; they have \(known.listed(by: "and"))."
        )
    }

    /// Returns the item or the list that the words name.
    static func subject(
        _ what: String, _ words: [String], _ source: ConfiguredSource
    ) throws(CommandError) -> SourceTest.Subject {
        do throws(Failure) {
            if source.definition.lists.contains(where: { $0.name == what }) {
                var (list, parameters) = try source.listing(
                    named: what, words: words.filter { !Self.isPage($0, of: what, source) })
                for word in words where Self.isPage(word, of: what, source) {
                    let halves = word.split(separator: "=", maxSplits: 1).map(String.init)
                    parameters[halves[0]] = halves[1]
                }
                return .page(try source.query(list: list, parameters: parameters))
            }
            if let word = words.first {
                throw .invalid(reason: "“\(what)” is not a list, so “\(word)” is too much.")
            }
            let halves = what.split(separator: "/", maxSplits: 1).map(String.init)
            guard halves.count == 2 else {
                guard source.kinds.count == 1 else {
                    throw .invalid(
                        reason:
                            "\(source.title) has several kinds; write \(source.kinds[0])/\(what)."
                    )
                }
                return .item(try source.item(kind: source.kinds[0], id: what))
            }
            return .item(try source.item(kind: halves[0], id: halves[1]))
        } catch {
            throw .usage(error.reason)
        }
    }

    /// Whether a word sets the page of a list.
    private static func isPage(
        _ word: String, of list: String, _ source: ConfiguredSource
    ) -> Bool {
        let parameter = source.definition.lists.first { $0.name == list }?.paging?.parameter
        let halves = word.split(separator: "=", maxSplits: 1)
        return halves.count == 2 && parameter.map { $0 == halves[0] } ?? false
    }
}
