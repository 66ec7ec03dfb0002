package import Catalog

extension Warm {
    /// Calls `body` with the items of a request in their order, each once, and warms none.
    ///
    /// - Returns: pages that were read from the store because their source could not be read.
    /// - Throws: ``Failure`` if a list can't be read; what `body` throws; `CancellationError`.
    package func each(
        _ request: WarmRequest, _ body: (Item) async throws -> Void
    ) async throws -> [StalePage] {
        let items = WarmItems(request.scope, limit: request.limit, of: catalog)
        defer { items.close() }
        for try await item in items { try await body(item) }
        return items.stalePages
    }

    /// Returns what this node was told about items, such as by the page of the list that named them,
    /// so that the nodes that make them don't ask their catalogs again.
    ///
    /// - Throws: ``Failure`` of kind `unknownSource`, and of the kinds of a failed store.
    package func descriptions(of items: [Item]) async throws(Failure) -> [ItemDescription] {
        try await Failure.catching { [self] in
            try await catalog.cache.descriptions(of: items, catalog.sources)
        }
    }
}

extension PublishedItem {
    /// An item of another store, such as one that a test plays.
    package init(_ ending: Ending, isKnown: Bool = false) {
        self.init(ending: ending)
        self.isKnown = isKnown
    }

    /// The item as a warm run counts it, and why it has not its first choice; nil if it has.
    package func counted(_ item: Item) -> (summary: WarmSummary, reason: String?) {
        let end: WarmedItem.Ending =
            switch ending {
            case .picture: result?.trace.fallback.map { .fallback(reason: $0) } ?? .picture
            case .noPicture(let failure): .placeholder(reason: failure.reason)
            case .unavailable(let failure): .failed(reason: failure.reason)
            }
        var summary = WarmSummary()
        summary.count(WarmedItem(item: item, ending: end), result)
        return (summary, end.reason)
    }
}
