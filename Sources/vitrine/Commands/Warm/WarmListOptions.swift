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
            "A catalog (\(Assembly.builtIn.joined(separator: ", ")), or a source of the settings), "
                + "urls, items, or a file with a list of URLs."))
    var source: String?

    @Argument(help: "One of its lists or kinds of items, such as shows or poster; or a file.")
    var list: String?

    @Argument(help: ArgumentHelp("Ids of items, or the term of a search.", valueName: "what"))
    var what: [String] = []

    @Option(help: ArgumentHelp("Pages of the list, such as 0-3 or 5.", valueName: "pages"))
    var pages: String?

    @Option(help: ArgumentHelp("Stop after this many items.", valueName: "n"))
    var limit: Int?

    @OptionGroup var columns: ListColumnOptions

    // Search terms for lists that search by more than one field, and the filters of every list.

    @Option(
        help: ArgumentHelp(
            "Words of the title; a filter where the list has no such search.", valueName: "words"))
    var title: String?

    @Option(help: ArgumentHelp("The maker, as the catalog spells the name.", valueName: "name"))
    var creator: String?

    @Option(help: ArgumentHelp("Kind of object, such as painting.", valueName: "kind"))
    var type: String?

    @Option(help: ArgumentHelp("What it is made of, such as canvas.", valueName: "material"))
    var material: String?

    @Option(help: ArgumentHelp("How it was made, such as etching.", valueName: "technique"))
    var technique: String?

    @Option(
        help: ArgumentHelp(
            "The catalog's object number; * and ? are wildcards.", valueName: "number"))
    var objectNumber: String?

    @Option(help: ArgumentHelp("When it was made; * and ? are wildcards.", valueName: "year"))
    var creationDate: String?

    @Option(help: ArgumentHelp("Only items of this date or later.", valueName: "date"))
    var from: String?

    @Option(help: ArgumentHelp("Only items of this date or earlier.", valueName: "date"))
    var to: String?

    @Option(help: ArgumentHelp("Only items of this genre.", valueName: "genre"))
    var genre: String?

    /// The file that has the list, and what its lines are: `urls` or `items`. Nil for a catalog.
    var file: (kind: String, path: String)? {
        guard let source else { return nil }
        if source == "urls" || source == "items" { return list.map { (source, $0) } }
        // Names of catalogs have no dots and slashes.
        guard list == nil,
            source == "-" || source.contains(".") || source.contains("/")
                || LocalFile.size(source) > 0
        else { return nil }
        return ("urls", source)
    }

    /// Whether the list is a file.
    var isFile: Bool { file != nil }

    /// The list of the settings, if all of it is named.
    func settingsList(_ pipeline: MediaPipeline) -> ListSource? {
        guard let source, list == nil || list == ListSource.list else { return nil }
        return pipeline.sources.list(source)
    }

    func validate() throws {
        if let limit, limit < 1 {
            throw ValidationError("--limit is \(limit); expected 1 or more.")
        }
        if isFile, isSearch {
            throw ValidationError(
                "A file can't be searched; leave the search options and --pages out.")
        }
        if isFile, !what.isEmpty {
            throw ValidationError("One file is read; “\(what[0])” is too much.")
        }
        if columns.isGiven, file?.kind != "urls" {
            throw ValidationError(
                "--url-column, --id-column and --title-column are for a list of URLs in a file.")
        }
    }

    /// - Parameters:
    ///   - names: gets ids and titles of a file; nil if they are not needed.
    ///   - namedReading: the reading of the file at which it gets them.
    func request(
        _ pipeline: MediaPipeline, renditions: Set<Rendition>, concurrency: Int,
        _ bad: BadLines, _ names: ListedNames? = nil, namedReading: Int = 0
    ) async throws -> WarmRequest {
        if let (kind, path) = file {
            let lines = WarmLines(file: path, bad: bad, names: names, namedReading: namedReading)
            let lists = pipeline.sources.pictureLists.filter {
                LocalFile.isSame(path, $0.file.path)
            }
            // As the settings read it.
            let columns = columns.isGiven ? columns.columns : lists.first?.file.definition.columns
            let scope =
                try await kind == "urls"
                ? lines.urls(columns ?? ListColumns()) : lines.items(of: pipeline)
            var request = WarmRequest(
                scope, limit: limit, renditions: renditions, concurrency: concurrency)
            request.name = "\(kind) \(path)"
            let what = kind == "urls" ? "Pictures" : "Items"
            request.title = "\(what) of \(path == "-" ? "standard input" : path)"
            if kind == "urls" {
                request.source = SignedURL.name
                request.lists = lists.filter { $0.file.definition.columns == columns }
            }
            return request
        }
        let ofList = source.flatMap { pipeline.sources.list($0) } == nil ? nil : ListSource.list
        guard let source, let list = list ?? ofList else {
            throw CommandError.usage("Name a catalog and a list, such as tvmaze shows.")
        }
        do {
            return try WarmPlan(
                source: source, list: list, words: what, parameters: parameters,
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
            throw CommandError.naming(error)
        }
    }

    /// Returns the sentence about an option that a list doesn't have; nil if no option stands for the
    /// parameter.
    private static func sentence(_ unknown: UnknownParameter) -> String? {
        guard let option = Self.option(of: unknown.name) else { return nil }
        let known = unknown.known.compactMap { name in
            name == "page" ? "--pages" : Self.option(of: name)
        }
        return "\(unknown.owner) has no \(option); it has \(known.listed(by: "and"))."
    }

    /// Whether pages, terms or filters are given, which a file doesn't know.
    var isSearch: Bool { !parameters.isEmpty || pages != nil }

    /// The given search terms and filters by the lists' parameter names.
    private var parameters: [String: String] {
        let given = [
            "title": title, "creator": creator, "type": type, "material": material,
            "technique": technique, "objectNumber": objectNumber, "creationDate": creationDate,
            "from": from, "to": to, "genre": genre,
        ]
        return given.compactMapValues(\.self)
    }

    /// Returns the option of a list's parameter, such as `--object-number`; nil if there is none.
    private static func option(of parameter: String) -> String? {
        guard names.contains(parameter) else { return nil }
        return "--"
            + parameter.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    }

    private static let names: Set = [
        "title", "creator", "type", "material", "technique", "objectNumber", "creationDate", "from",
        "to", "genre",
    ]
}
