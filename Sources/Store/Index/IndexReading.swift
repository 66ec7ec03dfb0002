import FoundationEssentials
import GRDB

/// Looks records up by their keys. Its two forms are the index of this version and the earlier one.
protocol IndexReading {
    init(_ database: Database)
    func original(url: String) throws -> OriginalRecord?
    func thumbnail(_ key: ThumbnailKey) throws -> ThumbnailRecord?
    func thumbnails(of original: Digest) throws -> [ThumbnailRecord]
    func binding(item: String, level: String) throws -> BindingRecord?
    func bindings(item: String) throws -> [BindingRecord]
    func document(_ key: String) throws -> DocumentRecord?
    /// - Parameter keys: a JSON list.
    func documents(keys: String) throws -> [DocumentRecord]
    func summary(of original: Digest) throws -> SummaryRecord?
    func quarantined(_ original: Digest) throws -> QuarantineRecord?
    /// - Parameter items: a JSON list.
    func shown(items: String) throws -> [ShownRecord]
    /// - Parameter items: a JSON list.
    func unshown(items: String) throws -> [UnshownRecord]
    /// - Parameter items: a JSON list.
    func tiles(
        items: String, level: String, format: String, recipe: String
    ) throws -> [TileRecord]
    /// Returns whether any row refers to a blob.
    func isNamed(_ digest: Digest) throws -> Bool
    /// Returns whether an item shows the picture of a blob, or a URL has it, and expires at a date or before.
    func isShown(_ digest: Digest, expiringBy date: Date) throws -> Bool
}

/// The rows of the index.
struct CurrentRows: IndexReading {
    let database: Database

    init(_ database: Database) { self.database = database }

    func original(url: String) throws -> OriginalRecord? {
        try IndexRows.original(database, url: url)
    }

    func thumbnail(_ key: ThumbnailKey) throws -> ThumbnailRecord? {
        try IndexRows.thumbnail(database, key)
    }

    func thumbnails(of original: Digest) throws -> [ThumbnailRecord] {
        try IndexRows.thumbnails(database, of: original)
    }

    func binding(item: String, level: String) throws -> BindingRecord? {
        try IndexRows.binding(database, item: item, level: level)
    }

    func bindings(item: String) throws -> [BindingRecord] {
        try IndexRows.bindings(database, item: item)
    }

    func document(_ key: String) throws -> DocumentRecord? {
        try IndexRows.document(database, key)
    }

    func documents(keys: String) throws -> [DocumentRecord] {
        try IndexRows.documents(database, keys: keys)
    }

    func summary(of original: Digest) throws -> SummaryRecord? {
        try IndexRows.summary(database, of: original)
    }

    func quarantined(_ original: Digest) throws -> QuarantineRecord? {
        try IndexRows.quarantined(database, original)
    }

    func shown(items: String) throws -> [ShownRecord] {
        try IndexRows.shown(database, items: items)
    }

    func unshown(items: String) throws -> [UnshownRecord] {
        try IndexRows.unshown(database, items: items)
    }

    func tiles(
        items: String, level: String, format: String, recipe: String
    ) throws -> [TileRecord] {
        try IndexRows.tiles(database, items: items, level: level, format: format, recipe: recipe)
    }

    func isNamed(_ digest: Digest) throws -> Bool {
        try IndexRows.isNamed(database, digest)
    }

    func isShown(_ digest: Digest, expiringBy date: Date) throws -> Bool {
        try IndexRows.isShown(database, digest, expiringBy: date)
    }
}
