package import Catalog

/// Lists and items of the catalogs, through the cache.
package struct CatalogReader: Sendable {
    let editions: Editions
    let cache: CatalogCache
    /// Limits the lookups of requests. A lookup holds its place while it waits for its host, so that no
    /// source gets all places.
    let lookups: AdmissionQueue

    var sources: Sources { editions.current.sources }

    /// Calls the sources' APIs, within the limits of their hosts.
    package var api: any APIReading { cache.api }

    /// Validates a list's name and parameters. `q` stands for the search words of every source, whatever its own
    /// parameter is called.
    ///
    /// - Throws: ``Failure`` of kind `unknownSource`, `notFound` for an unknown list, or `invalid`.
    package func query(
        source: String, list: String, parameters: [String: String]
    ) throws(Failure) -> ListQuery {
        let source = try sources.named(source)
        var own = parameters
        if let term = source.list(list)?.term, own[term] == nil {
            own[term] = own.removeValue(forKey: "q")
        }
        return try source.query(list: list, parameters: own)
    }

    /// Returns one page of a list: fresh, or stale if its source is unreachable.
    ///
    /// A client doesn't wait long if an old page is stored, and the next page is prefetched for it.
    ///
    /// - Throws: ``Failure`` of kind `overloaded` if too many lookups wait, as
    ///   ``Source/page(_:api:)`` if no page is stored, and of the kinds of a failed store.
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
                // Unstructured, because the response does not wait for it. A failure is reported to
                // the client that requests that page.
                Task { [cache] in try? await cache.prefetch(next, source: source) }
            }
            return page
        }
    }

    /// Returns one item's complete details: fresh, or stale if its source is unreachable.
    ///
    /// - Throws: ``Failure`` of kind `overloaded` if too many lookups wait, as
    ///   ``Source/details(of:api:)`` if no details are stored, and of the kinds of a failed store.
    package func details(of item: Item) async throws(Failure) -> DetailsAnswer {
        try await Failure.catching { [self] in
            let source = try sources.source(of: item)
            return DetailsAnswer(
                cache.isAtHand(item)
                    ? try await cache.detailsSoon(of: item, source: source)
                    : try await lookups.run(.init(item)) {
                        try await cache.detailsSoon(of: item, source: source)
                    })
        }
    }
}
