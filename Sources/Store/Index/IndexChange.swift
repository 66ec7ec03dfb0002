import GRDB

/// Rows that are written together. A value, so that it can be kept in memory until the disk takes
/// it.
struct IndexChange: Sendable {
    var originals: [OriginalRecord] = []
    var summaries: [SummaryRecord] = []
    var thumbnails: [ThumbnailRecord] = []
    var bindings: [BindingRecord] = []
    var documents: [DocumentRecord] = []
    var quarantined: [QuarantineRecord] = []

    var count: Int {
        originals.count + summaries.count + thumbnails.count + bindings.count + documents.count
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
        var binding: IndexRows.WrittenBinding?
        for record in bindings {
            try write { try IndexRows.upsert(database, record, after: &binding) }
        }
        for record in summaries { try write { try IndexRows.insert(database, record) } }
        var picture: IndexRows.WrittenPicture?
        for record in thumbnails {
            try write { try IndexRows.upsert(database, record, after: &picture) }
        }
        for record in documents { try write { try IndexRows.upsert(database, record) } }
        for record in quarantined { try write { try IndexRows.upsert(database, record) } }
    }

    /// Returns the records whose keys have no row. An unreadable row counts.
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
        unknown.bindings = try bindings.filter { record in
            try isUnknown {
                try IndexRows.binding(database, item: record.item, level: record.level)
            }
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
