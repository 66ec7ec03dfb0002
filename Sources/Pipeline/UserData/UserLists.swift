package import Catalog
package import FoundationEssentials
package import Store
import Threads

/// A favorite with its stored details.
package struct FavoriteAnswer: Sendable {
    package var item: Item
    package var addedAt: Date
    /// `nil` if they were never looked up, or if the source doesn't know the item.
    package var details: DetailsAnswer?
    /// Whether its source was asked for them and failed, moments ago.
    package var isUnreachable = false
}

/// Favorites and the search history.
package struct UserLists: Sendable {
    private let stored: UserData
    private let pins: Pins
    private let catalog: CatalogReader
    private let lookups: FavoriteLookups
    private let limit: Int
    private let now: @Sendable () -> Date
    /// Changes of the favorites by this process.
    let changes = Counter()

    init(
        _ stored: UserData, pins: Pins, catalog: CatalogReader,
        configuration: PipelineConfiguration, now: @escaping @Sendable () -> Date
    ) {
        self.stored = stored
        self.pins = pins
        self.catalog = catalog
        self.now = now
        lookups = FavoriteLookups(configuration.favorites, configuration.freshness, now: now) {
            [catalog] item in
            do throws(Failure) {
                _ = try await catalog.details(of: item)
                return nil
            } catch {
                return error
            }
        }
        limit = configuration.favorites.max
    }

    private var sources: Sources { catalog.sources }
    private var cache: CatalogCache { catalog.cache }

    /// Returns the favorites of offered sources in their order, new ones first. Missing details are looked up in
    /// the background, within the limits of ``FavoritePolicy``.
    package func favorites() async throws(Failure) -> [FavoriteAnswer] {
        try await Failure.catching { [self] in
            let sources = sources
            let records = try await stored.favorites().filter { record in
                Item(record.item).map { sources.isOffered($0.source) } ?? false
            }
            let items = records.compactMap { Item($0.item) }
            var known = try await cache.storedDetails(of: items)
            for item in items where known[item] == nil {
                guard let details = try await here(item) else { continue }
                known[item] = .init(
                    document: .init(value: details, fetchedAt: now(), expiresAt: now()))
            }
            lookups.add(items.filter { known[$0] == nil })
            return records.compactMap { record in
                guard let item = Item(record.item) else { return nil }
                return FavoriteAnswer(
                    item: item, addedAt: record.addedAt,
                    details: known[item].map { DetailsAnswer($0) },
                    isUnreachable: cache.hasFailed(item))
            }
        }
    }

    /// Returns the details of an item of a folder or a list, which are not stored.
    private func here(_ item: Item) async throws -> ItemDetails? {
        if let folder = sources.folder(item.source) { return folder.freeDetails(of: item) }
        guard let list = sources.list(item.source) else { return nil }
        return try? await list.details(of: item, api: cache.api)
    }

    /// Returns which of these items are favorites.
    package func favorites(among items: [Item]) async throws(Failure) -> Set<Item> {
        try await Failure.catching { [self] in
            let known = try await stored.favorites(among: items.map(\.description))
            return Set(items.filter { known.contains($0.description) })
        }
    }

    /// Adds a favorite, whose thumbnails are not evicted then. Fails if there are as many as allowed,
    /// or if the pinned thumbnails take their part of the budget.
    ///
    /// - Throws: ``Failure`` of kind `notFound` if the source says soon that it doesn't have the item.
    ///   While a source can't be asked, or within the limits of ``FavoritePolicy`` no more, its items
    ///   are taken on trust: a reader's choice isn't lost to an outage.
    package func addFavorite(_ item: Item) async throws(Failure) -> FavoriteRecord.Addition {
        try await Failure.catching { [self] in
            if try await cache.storedDetails(of: [item]).isEmpty,
                let failure = await lookups.failure(of: item), failure.kind == .notFound
            {
                throw failure
            }
            guard try await pins.protect(item) else { return .noRoom }
            let addition = try await stored.addFavorite(
                item.description, limit: limit, at: now())
            changes.add()
            return addition
        }
    }

    /// Puts the favorites in this order. Those that are not named come after, and items that are not
    /// favorites change nothing.
    package func orderFavorites(_ items: [Item]) async throws(Failure) {
        try await Failure.catching { [self] in
            try await stored.orderFavorites(items.map(\.description))
            changes.add()
        }
    }

    /// Returns false if the item was not a favorite.
    package func removeFavorite(_ item: Item) async throws(Failure) -> Bool {
        try await Failure.catching { [self] in
            let wasOne = try await stored.removeFavorite(item.description)
            changes.add()
            if wasOne { try await pins.release() }
            return wasOne
        }
    }

    /// Returns the searches, newest first, without duplicates.
    package func searches() async throws(Failure) -> [SearchRecord] {
        try await Failure.catching { [self] in try await stored.searches() }
    }

    package func removeSearches() async throws(Failure) {
        try await Failure.catching { [self] in try await stored.removeSearches() }
    }

    /// Returns whether ``noteSearch(_:)`` would add the query: it has a search term.
    package func isSearch(_ query: ListQuery) -> Bool {
        guard let source = try? sources.named(query.source) else { return false }
        let names = source.list(query.list)?.searchParameters ?? []
        return names.contains { query.parameters[$0] != nil }
    }

    /// Adds a query to the search history if it has a search term. Call it after a successful
    /// search.
    ///
    /// - Throws: ``Failure`` of kind `unknownSource` or `canceled`. An unusable store doesn't
    ///   throw.
    package func noteSearch(_ query: ListQuery) async throws(Failure) {
        try await Failure.catching { [self] in
            let source = try sources.named(query.source)
            let names = (source.list(query.list)?.searchParameters ?? [])
                .filter { query.parameters[$0] != nil }
            let words = names.compactMap { query.parameters[$0] }
            guard !words.isEmpty else { return }
            let isUsual = names == [source.termParameter].compactMap(\.self)
            let search = SearchRecord(
                source: query.source, list: query.list, term: words.joined(separator: ", "),
                parameters: isUsual ? [:] : query.parameters.filter { names.contains($0.key) },
                madeAt: now())
            do throws(StoreError) {
                try await stored.record(search)
            } catch {
                // The search itself succeeded, and the store has reported its error.
                if error == .stopped { throw error }
            }
        }
    }
}
