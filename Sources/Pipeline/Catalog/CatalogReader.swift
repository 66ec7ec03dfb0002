package import Catalog

/// Lists and items of the catalogs, through what is stored of them.
package struct CatalogReader: Sendable {
    let sources: Sources
    let cache: CatalogCache
    /// Bounds the lookups of requests.
    let lookups: AdmissionQueue

    /// Checks a list's name and parameters.
    package func query(
        source: String, list: String, parameters: [String: String]
    ) throws(Failure) -> ListQuery {
        let source = try sources.named(source)
        return try source.query(list: list, parameters: parameters)
    }

    /// One page of a list: fresh, or stale where its source can't be asked.
    ///
    /// A client is not kept waiting while an old page is stored, and the next page is fetched behind
    /// its back, before it is asked for.
    package func page(
        _ query: ListQuery, forClient: Bool = false
    ) async throws(Failure) -> PageAnswer {
        try await Failure.catching { [self] in
            let source = try sources.named(query.source)
            let page =
                cache.isAtHand(query)
                ? try await cache.page(query, source: source, soon: forClient)
                : try await lookups.run(.init(source: query.source)) {
                    try await cache.page(query, source: source, soon: forClient)
                }
            if forClient, let next = page.next, !page.isStale {
                // Unstructured, because the answer does not wait for it; what goes wrong is told to
                // whoever asks for that page.
                Task { [cache] in try? await cache.prefetch(next, source: source) }
            }
            return page
        }
    }

    /// One item's details, complete: fresh, or stale where its source can't be asked.
    package func details(of item: Item) async throws(Failure) -> DetailsAnswer {
        try await Failure.catching { [self] in
            let source = try sources.source(of: item)
            let answer =
                cache.isAtHand(item)
                ? try await cache.detailsSoon(of: item, source: source)
                : try await lookups.run(.init(item)) {
                    try await cache.detailsSoon(of: item, source: source)
                }
            return DetailsAnswer(details: answer.document.value, outcome: answer.outcome)
        }
    }
}
