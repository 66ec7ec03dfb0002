import Catalog
import FoundationEssentials
import HTTPTypes
import Hashing
import JSON
import Pipeline
import Store

/// Responds to `/v1/favorites…` and `/v1/history`, once ``PrivateAccess`` has let a request in.
struct UserDataResponder: Sendable {
    let pipeline: MediaPipeline
    let address: ServiceAddress

    func favorites(
        _ parameters: [(String, String)], _ request: Request
    ) async throws(Failure) -> Response {
        let language = try LanguagePreference(parameters, request)
        let filter = try Self.filter(parameters, now: pipeline.now())
        var items: [(item: Item, entry: CatalogEntry)] = []
        var isStale = false
        for favorite in try await pipeline.userData.favorites() {
            let entry =
                favorite.details?.details.entry.inLanguage(language)
                ?? CatalogEntry(item: favorite.item, title: "\(favorite.item)")
            guard filter.matches(entry) else { continue }
            isStale = isStale || favorite.isUnreachable
            items.append((favorite.item, entry))
        }
        return try await page(of: items, favorites: Set(items.map(\.item)), isStale: isStale)
    }

    /// Returns a page of all these items.
    private func page(
        of items: [(item: Item, entry: CatalogEntry)], favorites: Set<Item>, isStale: Bool = false
    ) async throws(Failure) -> Response {
        let documents = try await pipeline.documents(of: items, favorites: favorites, address)
        let now = pipeline.now()
        return Self.json(
            .page(
                documents, total: items.count, totalOf: "matches", isStale: isStale,
                fetchedAt: now, expiresAt: now),
            LanguagePreference.fields(of: items.map(\.entry)))
    }

    private static func filter(
        _ parameters: [(String, String)], now: Date
    ) throws(Failure) -> CatalogFilter {
        let known = CatalogFilter.parameterNames + [LanguagePreference.parameter]
        var given: [String: String] = [:]
        for (name, value) in parameters {
            guard known.contains(name) else {
                throw .invalid(
                    reason: "Favorites have no parameter “\(name.prefix(80))”; they know "
                        + known.map { "“\($0)”" }.listed(by: "and") + ".")
            }
            guard given.updateValue(value, forKey: name) == nil else {
                throw .invalid(reason: "The parameter “\(name)” is given twice.")
            }
        }
        return try CatalogFilter(parameters: given, now: now)
    }

    /// Limit of a body in bytes: an order of many favorites.
    private static let maxBody = 4 << 20

    private struct Order: Decodable {
        /// `tvmaze/show/1`, the first first.
        var items: [String]
    }

    /// Puts the favorites in the order of the body. Those that it doesn't name come after.
    func order(_ request: Request) async throws(Failure) -> Response {
        let order: Order
        do throws(Problem) {
            order = try await request.json(Order.self, members: ["items"], limit: Self.maxBody)
        } catch {
            return error.answer
        }
        var items: [Item] = []
        for name in order.items { items.append(try pipeline.item(named: name)) }
        try await pipeline.userData.orderFavorites(items)
        return .unstored(type: nil, [], .noContent)
    }

    /// Items that ``recent(_:_:)`` returns.
    private static let recentCount = 60

    /// Responds with the items of a source that got a picture last. No catalog is asked.
    func recent(
        _ parameters: [(String, String)], _ request: Request
    ) async throws(Failure) -> Response {
        guard let name = parameters.first(where: { $0.0 == "source" })?.1 else {
            throw .invalid(reason: "Name a source, such as source=itunes.")
        }
        let source = try pipeline.sources.offered(name)
        let language = try LanguagePreference(parameters, request)
        let entries = try await pipeline.recent(
            of: source, limit: Self.recentCount
        ).map { $0.inLanguage(language) }
        return try await page(
            of: entries.map { ($0.item, $0) },
            favorites: try await pipeline.userData.favorites(among: entries.map(\.item)))
    }

    /// Responds with everything that is stored about an item's picture. Nothing is fetched for it.
    func explanation(
        source: String, kind: String, id: String, _ request: Request
    ) async throws(Failure) -> Response {
        let item = try pipeline.item(source: source, kind: kind, id: id)
        return .unstored(
            .explanation(try await pipeline.pictures.explain(item, resolving: false)))
    }

    func favorite(
        source: String, kind: String, id: String, _ parameters: [(String, String)],
        _ request: Request
    ) async throws(Failure) -> Response {
        let item = try pipeline.item(source: source, kind: kind, id: id)
        let language = try LanguagePreference(parameters, request)
        switch request.method {
        case .put:
            switch try await pipeline.userData.addFavorite(item) {
            case .added: return .unstored(type: nil, [], .created)
            case .known: return .unstored(type: nil, [], .noContent)
            case .full: return full
            case .noRoom: return noRoom
            }
        case .delete:
            guard try await pipeline.userData.removeFavorite(item) else { return Self.none(item) }
            return .unstored(type: nil, [], .noContent)
        default:
            guard try await pipeline.userData.favorites(among: [item]).contains(item) else {
                return Self.none(item)
            }
            let found = try await pipeline.catalog.details(of: item)
            let entry = found.details.entry.inLanguage(language)
            let documents = try await pipeline.documents(
                of: [(item, entry)], favorites: [item], address)
            return Self.json(documents[0], LanguagePreference.fields(of: [entry]))
        }
    }

    func history(_ request: Request) async throws(Failure) -> Response {
        if request.method == .delete {
            try await pipeline.userData.removeSearches()
            return .unstored(type: nil, [], .noContent)
        }
        var searches: [JSON] = []
        for search in try await pipeline.userData.searches() {
            // Searches of a source that is removed or not offered have no link.
            guard let source = pipeline.sources.offered.first(where: { $0.name == search.source })
            else { continue }
            let parameters =
                search.parameters.isEmpty
                ? [source.termParameter ?? "q": search.term] : search.parameters
            let query = ListRequest.queryString(parameters)
            let list = PercentCoding.encoded(search.list, keeping: "/")
            searches.append(
                [
                    "source": .text(search.source), "list": .text(search.list),
                    // The words, for people.
                    "term": .text(search.term),
                    "parameters": JSON(parameters.mapValues(JSON.text)),
                    "url": .text("/v1/\(search.source)/\(list)\(query)"),
                    "searchedAt": .date(search.madeAt),
                ])
        }
        return .unstored(["searches": .list(searches)])
    }

    private var full: Response {
        Problem(
            status: .conflict, name: "favorites-full", title: "Too many favorites",
            detail:
                "There are \(pipeline.configuration.favorites.max) favorites, which is the limit; "
                + "remove one first."
        ).answer
    }

    private var noRoom: Response {
        Problem(
            status: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
            name: "pins-full",
            title: "No room for pinned thumbnails",
            detail:
                "The thumbnails of favorites and pinned items take half of the cache, which is the most "
                + "that they may take. Remove a favorite first."
        ).answer
    }

    private static func none(_ item: Item) -> Response {
        Problem(
            status: .notFound, name: "no-favorite", title: "Not a favorite",
            detail: "\(item) is not a favorite; PUT makes it one."
        ).answer
    }

    private static func json(_ document: JSON, _ more: HTTPFields) -> Response {
        var answer = Response.unstored(document)
        answer.fields.append(contentsOf: more)
        return answer
    }
}
