package import Catalog

extension Pictures {
    /// Returns the name under which an item's picture is kept. It is another one for items of lists, whose
    /// pictures are kept by their URLs.
    func pictured(_ item: Item) async -> Item {
        guard let list = context.sources.list(item.source) else { return item }
        // Without its row, the item is one without a picture, and why shows when it is resolved.
        return (try? await list.pictured(item, api: context.catalog.api)) ?? item
    }

    /// Returns the same if it is known; never waits.
    package func knownPictured(_ item: Item) -> Item? {
        guard let list = context.sources.list(item.source) else { return item }
        return list.known(item)
    }

    /// Returns whether an item's picture may change between two requests without a notice.
    package func isListed(_ item: Item) -> Bool { context.sources.list(item.source) != nil }
}
