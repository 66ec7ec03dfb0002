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
            }
        }
    }

    private func apply(
        to database: Database, _ write: (() throws -> Void) throws -> Void
    ) throws {
        for record in originals { try write { try IndexRows.upsert(database, record) } }
        for record in summaries { try write { try IndexRows.insert(database, record) } }
        for record in thumbnails { try write { try IndexRows.upsert(database, record) } }
        for record in bindings { try write { try IndexRows.upsert(database, record) } }
        for record in documents { try write { try IndexRows.upsert(database, record) } }
        for record in quarantined { try write { try IndexRows.upsert(database, record) } }
    }

    /// Returns stored rows that these refer to: what is known of an original whose fetch failed,
    /// and the thumbnails of a binding.
    func context(in database: Database) throws -> IndexChange {
        var context = IndexChange()
        for record in originals where record.digest == nil {
            if let known = try IndexRows.original(database, url: record.url) {
                context.originals.append(known)
            }
        }
        for original in Set(bindings.compactMap(\.original)) {
            context.thumbnails += try IndexRows.thumbnails(database, of: original)
            if let summary = try IndexRows.summary(database, of: original) {
                context.summaries.append(summary)
            }
        }
        return context
    }
}

extension IndexRows {
    /// Returns all rows of all tables. For small tables only.
    static func everything(_ database: Database) throws -> IndexChange {
        var change = IndexChange()
        change.originals = try allOriginals(database)
        change.thumbnails = try allThumbnails(database)
        change.bindings = try allBindings(database)
        change.documents = try allDocuments(database)
        change.summaries = try summaries(database)
        change.quarantined = try quarantined(database)
        return change
    }
}
