import Catalog
import FoundationEssentials
import Hashing
import Objects
import Store

extension SharedStore {
    /// Removes pictures from the shared store, so that no node gets them from there.
    ///
    /// Returns a claim for an item, without which no process of this machine uploads it: hold it until the rows of
    /// the item are gone. Nil for other scopes, and if an upload takes longer than
    /// ``SharedPolicy/purgePatience``.
    ///
    /// - Throws: `ObjectError` if the shared store can't be reached. The purge is not done then.
    func purge(_ scope: PurgeScope) async throws -> Claims.Claim? {
        switch scope {
        case .source(let name): try await voids.add(name, at: now(), objects)
        case .all: try await voids.add(nil, at: now(), objects)
        case .item(let item):
            let claim = try await purges.claim(
                Self.claim(item),
                patience: editions.current.configuration.shared.purgePatience)
            try await remove(item, try await index.item("\(item)").originals)
            return claim
        }
        return nil
    }

    /// The key of the claim that uploads and purges of an item take.
    static func claim(_ item: Item) -> String { "upload:\(item)" }

    /// Removes the reference of an item, and the pictures of its originals in every recipe.
    ///
    /// - Parameter known: originals that the reference needn't name.
    func remove(_ item: Item, _ known: Set<Digest>) async throws {
        var originals = known
        let key = SharedKeys.reference(item)
        if let bytes = try await objects.get(key, limit: ItemReference.maxBytes) {
            let reference = ItemReference(bytes, of: item)
            originals.formUnion(reference?.originals.map(\.digest) ?? [])
            // First, so that no reader finds a reference without its bundle.
            try await objects.delete(key)
        }
        if originals.isEmpty { return }
        for recipe in try await recipes() {
            for original in originals.sorted() {
                // The bundle, or the picture in one level and format.
                let all = keys.bundle(original, recipe: recipe)
                for entry in try await objects.list(all, after: nil).entries {
                    try await objects.delete(entry.key)
                }
            }
        }
    }

    /// Removes what an upload that began before a purge has put into the shared store since: one of another
    /// node, or one for which the purge did not wait. Call it after this node's cache was purged: an upload that
    /// ends later finds that itself, see ``upload(_:_:_:)``.
    ///
    /// - Parameter dropped: what this node showed of the item before. A purge by another node must not
    ///   remove what was made since, so only a reference that has some of this is removed.
    func removeLate(_ item: Item, _ dropped: ItemRecord, isLocal: Bool) async throws {
        guard !dropped.resolutions.isEmpty || !isLocal,
            let bytes = try await objects.get(
                SharedKeys.reference(item), limit: ItemReference.maxBytes)
        else { return }
        let reference = ItemReference(bytes, of: item)
        guard !isLocal || reference?.has(some: dropped) ?? true else { return }
        try await remove(item, dropped.originals)
    }

    /// Another node has purged the shared store.
    func purged(_ scope: PurgeScope) {
        switch scope {
        case .source, .all: voids.expire()
        // Its reference is gone.
        case .item: break
        }
    }

    /// Removes the references of the other items that showed a purged picture.
    func removeReferences(of items: Set<String>, after scope: PurgeScope) async throws {
        guard case .item(let purged) = scope else { return }
        for item in items.compactMap({ Item($0) }) where item != purged {
            try await objects.delete(SharedKeys.reference(item))
        }
    }

    /// Returns the recipes of all bundles, also those of other versions. One LIST for each.
    private func recipes() async throws -> [String] {
        var recipes: [String] = []
        var after: String?
        while let key = try await objects.list(SharedKeys.thumbnails, after: after, limit: 1)
            .entries.first?.key
        {
            let recipe = String(key.split(separator: "/").dropFirst().first ?? "")
            recipes.append(recipe)
            // The first character after the slash: the next key has another recipe.
            after = "\(SharedKeys.thumbnails)\(recipe)0"
        }
        return recipes
    }
}
