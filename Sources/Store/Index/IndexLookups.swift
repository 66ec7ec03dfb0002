import FoundationEssentials
package import Hashing
import Threads

/// What the index knows of an item, an original or a key: rows in memory first, then on disk.
extension Index {
    package func original(url: String) async throws(StoreError) -> OriginalRecord? {
        try await first { try IndexRows.original($0, url: url) }
    }

    package func thumbnail(_ key: ThumbnailKey) async throws(StoreError) -> ThumbnailRecord? {
        try await first { try IndexRows.thumbnail($0, key) }
    }

    package func binding(item: String, level: String) async throws(StoreError) -> BindingRecord? {
        try await first { try IndexRows.binding($0, item: item, level: level) }
    }

    /// Returns all bindings of an item, ordered by level key.
    package func bindings(item: String) async throws(StoreError) -> [BindingRecord] {
        try await all(by: \.level) { try IndexRows.bindings($0, item: item) }
            .sorted { $0.level < $1.level }
    }

    /// Returns all thumbnails of an original, of every recipe, ordered by key.
    package func thumbnails(of original: Digest) async throws(StoreError) -> [ThumbnailRecord] {
        try await all(by: \.key) { try IndexRows.thumbnails($0, of: original) }
            .sorted { $0.key < $1.key }
    }

    /// What is known before a render.
    package struct Known: Sendable {
        package var bindings: [BindingRecord]
        /// Of the original, of every recipe.
        package var thumbnails: [ThumbnailRecord]
        package var summary: SummaryRecord?
        /// Of the original, of any recipe.
        package var quarantined: QuarantineRecord?
    }

    /// Returns an item's bindings with what is known of an original, in one visit of a thread and, unless
    /// some rows are elsewhere, of the disk's index.
    package func known(
        of item: String, original: Digest
    ) async throws(StoreError) -> Known {
        try await threads.run { [self] () throws(StoreError) in
            guard hasAllOnDisk else {
                return Known(
                    bindings: try everything(by: \.level) {
                        try IndexRows.bindings($0, item: item)
                    },
                    thumbnails: try everything(by: \.key) {
                        try IndexRows.thumbnails($0, of: original)
                    },
                    summary: try found { try IndexRows.summary($0, of: original) },
                    quarantined: try found { try IndexRows.quarantined($0, original) })
            }
            return try stored(or: Known(bindings: [], thumbnails: [])) { database in
                Known(
                    bindings: try IndexRows.bindings(database, item: item),
                    thumbnails: try IndexRows.thumbnails(database, of: original),
                    summary: try IndexRows.summary(database, of: original),
                    quarantined: try IndexRows.quarantined(database, original))
            }
        }
    }

    /// Returns the document of a key, such as an item's details or a catalog page. Opaque to the
    /// store.
    package func document(_ key: String) async throws(StoreError) -> DocumentRecord? {
        try await first { try IndexRows.document($0, key) }
    }

    /// Returns the documents of many keys with one query, in no particular order.
    package func documents(_ keys: [String]) async throws(StoreError) -> [DocumentRecord] {
        if keys.isEmpty { return [] }
        let list = try Self.list(keys)
        return try await all(by: \.key) { try IndexRows.documents($0, keys: list) }
    }

    /// Returns the summary that was made when the original was first rendered.
    package func summary(of original: Digest) async throws(StoreError) -> SummaryRecord? {
        try await first { try IndexRows.summary($0, of: original) }
    }

    /// Returns the record of an original, of any recipe.
    package func quarantined(
        _ original: Digest
    ) async throws(StoreError) -> QuarantineRecord? {
        try await first { try IndexRows.quarantined($0, original) }
    }

    /// Returns whether any row refers to a blob.
    package func names(_ digest: Digest) async throws(StoreError) -> Bool {
        try await first { try IndexRows.isNamed($0, digest) ? true : nil } ?? false
    }

    /// Returns every level with a thumbnail of many items, with one query, in no particular order.
    package func shown(items: [String]) async throws(StoreError) -> [ShownRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await all(by: { [$0.item, $0.level] }) {
            try IndexRows.shown($0, items: list)
        }
    }

    /// Returns why items show no picture at any level, with one query, in no particular order.
    package func unshown(items: [String]) async throws(StoreError) -> [UnshownRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await all(by: \.item) { try IndexRows.unshown($0, items: list) }
    }

    /// Returns the pictures of many items at one level, with one query, in no particular order.
    /// Items that were never resolved are omitted.
    package func tiles(
        items: [String], level: String, format: String, recipe: String
    ) async throws(StoreError) -> [TileRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await all(by: \.item) {
            try IndexRows.tiles($0, items: list, level: level, format: format, recipe: recipe)
        }
    }
}
