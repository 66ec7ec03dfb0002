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
