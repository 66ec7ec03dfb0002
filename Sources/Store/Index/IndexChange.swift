import GRDB

/// Rows that are written together. A value, so that it can be kept in memory until the disk takes
/// it.
struct IndexChange: Sendable {
    var originals: [OriginalRecord] = []
    var summaries: [SummaryRecord] = []
    var thumbnails: [ThumbnailRecord] = []
    /// What was found out about items: it replaces what is known of these levels.
    var items: [ItemRecord] = []
    var documents: [DocumentRecord] = []
    var quarantined: [QuarantineRecord] = []

    var count: Int {
        originals.count + summaries.count + thumbnails.count + items.count + documents.count
            + quarantined.count
    }

    /// Replaces the records of their keys within the current transaction.
    func apply(to database: Database) throws {
        try apply(to: database) { try $0() }
    }

    /// Does the same, but skips rows that the tables reject, so that one bad value doesn't block
    /// the others.
    func applyLeniently(to database: Database) throws {
        try apply(to: database) { write in
            do {
                try write()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                return
            } catch let error as StoreError where error.isRefusal {
                return
            }
        }
    }

    private func apply(
        to database: Database, _ write: (() throws -> Void) throws -> Void
    ) throws {
        for record in originals { try write { try IndexRows.upsert(database, record) } }
        // Before the thumbnails, because they give pictures their sources.
        for record in items { try write { try IndexRows.upsert(database, record) } }
        for record in summaries { try write { try IndexRows.insert(database, record) } }
        var last: (key: ThumbnailKey, picture: Int64)?
        for record in thumbnails {
            try write { try IndexRows.upsert(database, record, after: &last) }
        }
        for record in documents { try write { try IndexRows.upsert(database, record) } }
        for record in quarantined { try write { try IndexRows.upsert(database, record) } }
    }

    /// Returns the records whose keys have no row, and of items the levels that none has. An unreadable row
    /// counts.
    func unknown(in database: Database) throws -> IndexChange {
        func isUnknown(_ find: () throws -> Any?) throws -> Bool {
            do {
                return try find() == nil
            } catch is StoreError {
                return false
            }
        }
        var unknown = self
        unknown.originals = try originals.filter { record in
            try isUnknown { try IndexRows.original(database, url: record.url) }
        }
        unknown.thumbnails = try thumbnails.filter { record in
            try isUnknown { try IndexRows.thumbnail(database, record.key) }
        }
        unknown.items = try items.compactMap { record in
            var rest = ItemRecord(record.item)
            let isKnown = try !isUnknown {
                let known = try IndexRows.item(database, record.item)
                rest = record.keeping { level, _ in known.resolution(of: level) == nil }
                return rest.resolutions.isEmpty ? known : nil
            }
            return isKnown ? nil : rest
        }
        unknown.documents = try documents.filter { record in
            try isUnknown { try IndexRows.document(database, record.key) }
        }
        unknown.quarantined = try quarantined.filter { record in
            try isUnknown { try IndexRows.quarantined(database, record.original) }
        }
        return unknown
    }
}
