package import Catalog

extension Pictures {
    /// Returns the name under which an item's picture is kept. It is another one for items of lists, whose
    /// pictures are kept by their URLs.
    func pictured(_ item: Item) async -> Item {
        await context.sources.pictured(item, api: context.catalog.api)
    }

    /// Returns the same if it is known; never waits.
    package func knownPictured(_ item: Item) -> Item? {
        guard let list = context.sources.list(item.source) else { return item }
        return list.known(item)
    }

    /// Returns whether an item's picture may change between two requests without a notice.
    package func isListed(_ item: Item) -> Bool { context.sources.list(item.source) != nil }
}

extension Sources {
    /// Returns the name under which an item's picture is kept, see ``Pictures/pictured(_:)``.
    ///
    /// - Parameter api: fetches a list on a server; nil reads the copy on this machine.
    func pictured(_ item: Item, api: (any APIReading)?) async -> Item {
        guard let list = list(item.source) else { return item }
        // Without its row, the item is one without a picture, and why shows when it is resolved.
        return (try? await list.pictured(item, api: api)) ?? item
    }

    /// Returns the name under which the thumbnails of a pinned item are kept: those of a list's row are kept by
    /// the picture that it shows.
    ///
    /// - Parameter api: as for ``pictured(_:api:)``.
    package func keptName(of name: String, api: (any APIReading)?) async -> String {
        guard let item = Item(name) else { return name }
        return await pictured(item, api: api).description
    }
}
