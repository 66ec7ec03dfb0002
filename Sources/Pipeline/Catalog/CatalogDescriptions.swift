import Catalog

extension CatalogCache {
    /// Returns the fresh descriptions of items, and of those that their chains begin with. Asks the
    /// catalog for the latter if they are not stored, because every node that gets such an item would.
    /// Items without one are left to the node that gets them.
    func descriptions(of items: [Item], _ sources: Sources) async throws -> [ItemDescription] {
        let asked = items.filter { item in
            let source = sources.all.first { $0.name == item.source }
            return source.map { $0.freeDetails(of: item) == nil } ?? false
        }
        var known = try await freshDescriptions(of: asked)
        var found = asked.compactMap { known[$0] }
        let links = found.compactMap(\.link).filter { known[$0] == nil }
        known.merge(try await freshDescriptions(of: links)) { own, _ in own }
        for link in links where !found.contains(where: { $0.item == link }) {
            if known[link] == nil { known[link] = try await ask(for: link, sources) }
            if let description = known[link] { found.append(description) }
        }
        return found
    }

    private func freshDescriptions(of items: [Item]) async throws -> [Item: ItemDescription] {
        try await storedDetails(of: items).filter { !$0.value.isStale }.mapValues { answer in
            ItemDescription(answer.document.value, fetchedAt: answer.document.fetchedAt)
        }
    }

    /// Returns nil if the catalog doesn't answer. The node that needs it asks again.
    private func ask(for item: Item, _ sources: Sources) async throws -> ItemDescription? {
        do {
            let answer = try await details(of: item, source: sources.source(of: item))
            return ItemDescription(answer.document.value, fetchedAt: answer.document.fetchedAt)
        } catch let failure as Failure where failure.kind != .canceled {
            return nil
        }
    }
}
