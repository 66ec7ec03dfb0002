package import FoundationEssentials
package import Hashing
import Threads

/// What the index knows of an item, an original or a key: rows in memory and on disk.
extension Index {
    package func original(url: String) async throws(StoreError) -> OriginalRecord? {
        try await threads.run { [self] () throws(StoreError) in
            let waiting = unsaved?.read { $0.original(url: url) } ?? nil
            if let waiting, waiting.digest != nil { return waiting }
            let stored = try stored(or: nil) { try IndexRows.original($0, url: url) }
            return waiting?.keeping(stored) ?? stored
        }
    }

    package func thumbnail(_ key: ThumbnailKey) async throws(StoreError) -> ThumbnailRecord? {
        try await threads.run { [self] () throws(StoreError) in try known(key) }
    }

    private func known(_ key: ThumbnailKey) throws(StoreError) -> ThumbnailRecord? {
        try found({ $0.thumbnail(key) }) { try IndexRows.thumbnail($0, key) }
    }

    package func binding(item: String, level: String) async throws(StoreError) -> BindingRecord? {
        try await threads.run { [self] () throws(StoreError) in
            try found({ $0.binding(item, level) }) {
                try IndexRows.binding($0, item: item, level: level)
            }
        }
    }

    /// Returns all bindings of an item, ordered by level key.
    package func bindings(item: String) async throws(StoreError) -> [BindingRecord] {
        try await threads.run { [self] () throws(StoreError) in try known(item) }
    }

    private func known(_ item: String) throws(StoreError) -> [BindingRecord] {
        try all(by: \.level, { $0.bindings(of: item) }) {
            try IndexRows.bindings($0, item: item)
        }.sorted { $0.level < $1.level }
    }

    /// Returns all thumbnails of an original, of every recipe, ordered by key.
    package func thumbnails(of original: Digest) async throws(StoreError) -> [ThumbnailRecord] {
        try await threads.run { [self] () throws(StoreError) in try known(original) }
    }

    private func known(_ original: Digest) throws(StoreError) -> [ThumbnailRecord] {
        try all(by: \.key, { $0.thumbnails(of: original) }) {
            try IndexRows.thumbnails($0, of: original)
        }.sorted { $0.key < $1.key }
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
    /// some rows are elsewhere, of the disk's
    package func known(
        of item: String, original: Digest
    ) async throws(StoreError) -> Known {
        try await threads.run { [self] () throws(StoreError) in
            guard hasAllOnDisk else {
                return Known(
                    bindings: try known(item), thumbnails: try known(original),
                    summary: try knownSummary(of: original),
                    quarantined: try knownQuarantine(of: original))
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
        try await threads.run { [self] () throws(StoreError) in
            try found({ $0.document(key) }) { try IndexRows.document($0, key) }
        }
    }

    /// Returns the documents of many keys with one query, in no particular order.
    package func documents(_ keys: [String]) async throws(StoreError) -> [DocumentRecord] {
        if keys.isEmpty { return [] }
        let list = try Self.list(keys)
        return try await threads.run { [self] () throws(StoreError) in
            try all(
                by: \.key, { keys.compactMap($0.document) }
            ) { try IndexRows.documents($0, keys: list) }
        }
    }

    /// Returns the summary that was made when the original was first rendered.
    package func summary(of original: Digest) async throws(StoreError) -> SummaryRecord? {
        try await threads.run { [self] () throws(StoreError) in
            try knownSummary(of: original)
        }
    }

    /// The first summary stays, so one on disk comes before one in memory.
    private func knownSummary(of original: Digest) throws(StoreError) -> SummaryRecord? {
        try stored(or: nil) { try IndexRows.summary($0, of: original) }
            ?? unsaved?.read { $0.summary(of: original) } ?? nil
    }

    /// Returns the record of an original, of any recipe.
    package func quarantined(
        _ original: Digest
    ) async throws(StoreError) -> QuarantineRecord? {
        try await threads.run { [self] () throws(StoreError) in
            try knownQuarantine(of: original)
        }
    }

    private func knownQuarantine(of original: Digest) throws(StoreError) -> QuarantineRecord? {
        try found({ $0.quarantined(original) }) { try IndexRows.quarantined($0, original) }
    }

    /// Returns whether any row refers to a blob.
    package func names(_ digest: Digest) async throws(StoreError) -> Bool {
        try await threads.run { [self] () throws(StoreError) in
            try found({ $0.uses(of: [digest]).isEmpty ? nil : true }) {
                try IndexRows.isNamed($0, digest)
            } ?? false
        }
    }

    /// Returns whether an item shows the picture of a blob, or a URL has it, and expires at a date or before.
    package func isShown(_ digest: Digest, expiringBy date: Date) async throws(StoreError) -> Bool {
        try await threads.run { [self] () throws(StoreError) in
            var pictures: Set = [digest]
            if let rows = unsaved?.read(\.self) {
                // One of a picture's rows may be in memory, and the other on disk.
                let stored = try stored(or: [:]) { try IndexRows.uses($0, of: [digest]) }
                let use = rows.uses(of: [digest], besides: stored)[digest]
                pictures.formUnion(use?.thumbnailOf ?? [])
                if rows.isShown(pictures, expiringBy: date) { return true }
            }
            for picture in pictures
            where try stored(
                or: false, { try IndexRows.isShown($0, picture, expiringBy: date) })
            {
                return true
            }
            return false
        }
    }

    /// Returns every level with a thumbnail of many items, with one query, in no particular order.
    package func shown(items: [String]) async throws(StoreError) -> [ShownRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await threads.run { [self] () throws(StoreError) in
            try all(
                by: { [$0.item, $0.level] },
                { (rows) throws(StoreError) in
                    var records: [ShownRecord] = []
                    for binding in items.flatMap(rows.bindings) {
                        if let record = try shown(binding) { records.append(record) }
                    }
                    return records
                }
            ) { try IndexRows.shown($0, items: list) }
        }
    }

    private func shown(_ binding: BindingRecord) throws(StoreError) -> ShownRecord? {
        guard let original = binding.original,
            let thumbnail = try known(original).first(where: { $0.key.level == binding.level })
        else { return nil }
        return ShownRecord(
            item: binding.item, level: binding.level, width: thumbnail.width,
            height: thumbnail.height, summary: try knownSummary(of: original))
    }

    /// Returns why items show no picture at any level, with one query, in no particular order.
    package func unshown(items: [String]) async throws(StoreError) -> [UnshownRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await threads.run { [self] () throws(StoreError) in
            let stored = try stored(or: []) { try IndexRows.unshown($0, items: list) }
            guard let rows = unsaved?.read(\.self) else { return stored }
            let waiting = Set(items).filter { !rows.bindings(of: $0).isEmpty }
            var unshown = stored.filter { !waiting.contains($0.item) }
            for item in waiting {
                let bindings = try known(item)
                let failures = bindings.compactMap(\.failure)
                guard bindings.allSatisfy({ $0.original == nil }),
                    let failure = failures.max(by: { $0.until < $1.until })
                else { continue }
                unshown.append(UnshownRecord(item: item, failure: failure))
            }
            return unshown
        }
    }

    /// Returns the pictures of many items at one level, with one query, in no particular order.
    /// Items that were never resolved are omitted.
    package func tiles(
        items: [String], level: String, format: String, recipe: String
    ) async throws(StoreError) -> [TileRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await threads.run { [self] () throws(StoreError) in
            try all(
                by: \.item,
                { (rows) throws(StoreError) in
                    var tiles: [TileRecord] = []
                    for case let binding? in items.map({ rows.binding($0, level) }) {
                        let key = binding.original.map {
                            ThumbnailKey(
                                original: $0, level: level, format: format, recipe: recipe)
                        }
                        var tile = TileRecord(
                            item: binding.item, freshUntil: binding.freshUntil,
                            isBound: key != nil, failure: binding.failure)
                        if let key { tile.thumbnail = try known(key) }
                        tiles.append(tile)
                    }
                    return tiles
                }
            ) {
                try IndexRows.tiles(
                    $0, items: list, level: level, format: format, recipe: recipe)
            }
        }
    }
}
