import App
import ArgumentParser
import Catalog
import Console
import Imaging
import Pipeline

/// A list of items on the command line.
struct WarmListOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A catalog (tvmaze, rijksmuseum, itunes, spotify, tmdb, or a source of the settings), "
                + "urls or items."))
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

    /// Whether the list is a file.
    var isFile: Bool { source == "urls" || source == "items" }

    func validate() throws {
        if let limit, limit < 1 {
            throw ValidationError("--limit is \(limit); expected 1 or more.")
        }
        if isFile, !search.parameters.isEmpty || pages != nil {
            throw ValidationError(
                "A file can't be searched; leave the search options and --pages out.")
        }
        if isFile, !what.isEmpty {
            throw ValidationError("One file is read; “\(what[0])” is too much.")
        }
    }

    func request(
        _ pipeline: MediaPipeline, renditions: Set<Rendition>, concurrency: Int,
        _ bad: BadLines, _ names: ListedNames? = nil
    ) async throws -> WarmRequest {
        guard let source, let list else {
            throw CommandError.usage("Name a catalog and a list, such as tvmaze shows.")
        }
        guard !isFile else {
            let scope =
                try await source == "urls"
                ? WarmLines.urls(in: list, bad, names: names)
                : WarmLines.items(in: list, of: pipeline, bad)
            var request = WarmRequest(
                scope, limit: limit, renditions: renditions, concurrency: concurrency)
            request.name = "\(source) \(list)"
            let what = source == "urls" ? "Pictures" : "Items"
            request.title = "\(what) of \(list == "-" ? "standard input" : list)"
            if source == "urls" { request.source = "url" }
            return request
        }
        do {
            return try WarmPlan(
                source: source, list: list, words: what, parameters: search.parameters,
                pages: pages, limit: limit, of: pipeline
            ).request(renditions: renditions, concurrency: concurrency)
        } catch {
            // No request was sent yet, so the source, list or kind does not exist, or an argument
            // is invalid.
            if let unknown = error.cause as? UnknownParameter,
                let sentence = Self.sentence(unknown)
            {
                throw CommandError.usage(sentence)
            }
            if error.kind == .notFound || error.isBadRequest {
                throw CommandError.usage(error.reason)
            }
            throw error
        }
    }

    /// Returns the sentence about an option that a list doesn't have; nil if no option stands for the
    /// parameter.
    private static func sentence(_ unknown: UnknownParameter) -> String? {
        guard let option = SearchOptions.option(of: unknown.name) else { return nil }
        let known = unknown.known.compactMap { name in
            name == "page" ? "--pages" : SearchOptions.option(of: name)
        }
        return "\(unknown.owner) has no \(option); it has \(known.listed(by: "and"))."
    }
}
