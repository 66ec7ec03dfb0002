import App
import ArgumentParser
import Catalog
import Console
import FoundationEssentials
import Pipeline
import Serve

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show where an item's picture comes from, and why.",
        usage: "vitrine explain <source/kind/id> [<options>]",
        discussion: """
            Shows every candidate, what happened to it, what is stored and until when it is fresh. \
            An item that was never requested is fetched first, as for a request.

            "rendered" names the code that made the thumbnails: planar, the faster one, or libvips for \
            pictures that it doesn't take.

            Exit status: 0 success, 1 neither the item nor a picture of it could be read.
            """)

    @Argument(
        help: ArgumentHelp(
            "The item, such as tvmaze/show/1, or the URL of a picture.",
            valueName: "source/kind/id"))
    var item: String

    @Flag(help: "Show only stored facts; fetch nothing.")
    var stored = false

    @Flag(help: "Print one JSON object, as /v1/explain does, with whole URLs.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let wanted = try Self.item(item)
        let settings = try shared.start()
        // Looking at what is stored must not create a cache.
        if stored { try settings.checkCache() }
        let explanation = try await Assembly.during(settings) { assembly in
            try await explain(wanted, assembly.pipeline)
        }
        print(json ? explanation.json : ExplanationText(explanation: explanation, now: Date()).text)
        if explanation.isUnread { throw ExitCode.failure }
    }

    /// Parses `source/kind/id`, or the URL of a picture.
    private static func item(_ text: String) throws -> Item {
        if text.schemeMark != nil {
            return try CommandError.naming { () throws(Failure) in try SignedURL.item(of: text) }
        }
        guard let item = Item(text) else {
            throw CommandError.usage(
                "“\(text)” is not an item. Items look like tvmaze/show/1.")
        }
        return item
    }

    private func explain(
        _ wanted: Item, _ pipeline: MediaPipeline
    ) async throws -> Explanation {
        do throws(Failure) {
            let item = try pipeline.trustedItem(
                source: wanted.source, kind: wanted.kind, id: wanted.id)
            return try await pipeline.pictures.explain(item, resolving: !stored)
        } catch {
            // A missing item of a known kind is part of an explanation.
            throw CommandError.naming(error)
        }
    }
}
