package import Catalog
package import Imaging

/// The items of a warm run as an operator names them: ids, or pages of a list.
package struct WarmPlan: Sendable {
    package let scope: WarmScope
    package let limit: Int?
    package let source: String
    /// The same words, in one order.
    package let name: String
    /// Names the items for people: `TV shows`, or `Albums “night”`.
    package let title: String

    /// - Parameters:
    ///   - list: one of the source's kinds of items, or a list by its name or its short name.
    ///   - words: ids of items, or the words that the list searches for.
    ///   - parameters: of the list, and filters.
    ///   - pages: `0-3` or `5`; nil for the first page, or for as many as the limit needs.
    ///   - option: returns what the caller knows `pages` and `limit` by.
    /// - Throws: ``Failure`` of kind `unknownSource`, `notFound` or `invalid`. No request was sent yet.
    package init(
        source name: String, list: String, words: [String], parameters: [String: String] = [:],
        pages: String? = nil, limit: Int? = nil, of pipeline: MediaPipeline,
        option: (String) -> String = { "--\($0)" }
    ) throws(Failure) {
        self.limit = limit
        let source = try pipeline.sources.named(name)
        self.source = source.name
        let options = [pages.map { "--pages \($0)" }, limit.map { "--limit \($0)" }]
        self.name =
            ([name, list] + words + parameters.map { "\($0.key)=\($0.value)" }.sorted()
            + options.compactMap(\.self)).joined(separator: " ")
        if source.kinds.contains(list) {
            if let name = parameters.keys.min() {
                throw .invalid(reason: "Items are named by their ids, not by “\(name)”.")
            }
            if pages != nil {
                throw .invalid(
                    reason: "Items have no pages; leave \(option("pages")) out, or name a list of "
                        + "\(source.title).")
            }
            title = source.title(of: list)
            scope = .items(try Self.items(words, of: list, source, pipeline))
            return
        }
        do throws(Failure) {
            scope = try Self.pages(list, words, parameters, pages, limit, source, pipeline, option)
        } catch {
            // A mistyped kind of items looks like a list.
            let lists = source.lists.map(\.name)
            if error.kind == .notFound, !lists.contains(list),
                let meant = NearestName.of(
                    list,
                    among: lists + source.kinds + source.lists.compactMap(\.shortName))
            {
                throw .notFound(
                    reason: "\(source.title) has no list “\(list)”; did you mean “\(meant)”?")
            }
            throw error
        }
        title = Self.title(of: scope, source)
    }

    package func request(renditions: Set<Rendition>, concurrency: Int) -> WarmRequest {
        var request = WarmRequest(
            scope, limit: limit, renditions: renditions, concurrency: concurrency)
        request.name = name
        request.title = title
        request.source = source
        return request
    }

    private static func title(of scope: WarmScope, _ source: any Source) -> String {
        guard case .pages(let queries, _, _) = scope, let query = queries.first else {
            return source.title
        }
        let names = source.list(query.list)?.searchParameters ?? []
        let words = names.compactMap { query.parameters[$0] }
        return ([source.title(of: query.list)] + words.map { "“\($0)”" }).joined(separator: " ")
    }

    private static func items(
        _ ids: [String], of kind: String, _ source: any Source, _ pipeline: MediaPipeline
    ) throws(Failure) -> [Item] {
        guard !ids.isEmpty else {
            throw .invalid(reason: "Name the ids, such as: \(source.name) \(kind) 1 2 3.")
        }
        var items: [Item] = []
        for id in ids {
            items.append(try pipeline.catalogItem(source: source.name, kind: kind, id: id))
        }
        return items
    }

    private static func pages(
        _ list: String, _ words: [String], _ given: [String: String], _ pages: String?,
        _ limit: Int?, _ source: any Source, _ pipeline: MediaPipeline,
        _ option: (String) -> String
    ) throws(Failure) -> WarmScope {
        var (list, parameters) = try source.listing(named: list, words: words)
        let known = source.list(list)
        if let word = words.first, let known, known.term == nil,
            source.termParameter.map({ parameters[$0] != nil }) == true
        {
            throw .invalid(
                reason: "\(source.title)'s list “\(list)” is not a search; leave “\(word)” out.")
        }
        let ownFilters = known?.ownFilters ?? []
        var filters: [String: String] = [:]
        for (name, value) in given {
            if CatalogFilter.parameterNames.contains(name), !ownFilters.contains(name) {
                filters[name] = value
                continue
            }
            guard parameters.updateValue(value, forKey: name) == nil else {
                throw .invalid(reason: "“\(name)” is given twice.")
            }
        }
        let filter =
            filters.isEmpty
            ? nil : try CatalogFilter(parameters: filters, now: pipeline.now())
        guard let pages else {
            let query = try pipeline.catalog.query(
                source: source.name, list: list, parameters: parameters)
            return .pages([query], following: limit != nil || source.isFollowed, filter)
        }
        guard let pageParameter = known?.pageParameter else {
            // What is wrong besides comes first.
            _ = try pipeline.catalog.query(
                source: source.name, list: list, parameters: parameters)
            let hasPages = source.lists.contains { $0.pageParameter != nil }
            let owner = hasPages ? "\(source.title)'s list “\(list)”" : source.title
            throw .invalid(
                reason: """
                    \(owner) has no page numbers; leave \(option("pages")) out, and say with \
                    \(option("limit")) how many items you want.
                    """)
        }
        guard let range = range(pages) else {
            throw .invalid(
                reason: "\(option("pages")) is “\(pages)”; expected a page or a range, such as 0-3."
            )
        }
        var queries: [ListQuery] = []
        for page in range {
            parameters[pageParameter] = "\(page)"
            queries.append(
                try pipeline.catalog.query(source: source.name, list: list, parameters: parameters))
        }
        return .pages(queries, following: false, filter)
    }

    /// More pages than any list has.
    private static let maxPages = 100_000

    /// Parses `0-3` or `5`.
    package static func range(_ text: String) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
            .map { Int($0) }
        guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2,
            first >= 0, first <= last, last - first < maxPages
        else { return nil }
        return first...last
    }
}
