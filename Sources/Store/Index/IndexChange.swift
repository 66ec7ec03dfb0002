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
            }
        }
    }

    private func apply(
        to database: Database, _ write: (() throws -> Void) throws -> Void
    ) throws {
        for record in originals { try write { try IndexRows.upsert(database, record) } }
        // Before the thumbnails, because they give pictures their sources.
        for record in bindings { try write { try IndexRows.upsert(database, record) } }
        for record in summaries { try write { try IndexRows.insert(database, record) } }
        for record in thumbnails { try write { try IndexRows.upsert(database, record) } }
        for record in documents { try write { try IndexRows.upsert(database, record) } }
        for record in quarantined { try write { try IndexRows.upsert(database, record) } }
    }

    /// Returns stored rows that these refer to: what is known of an original whose fetch failed,
    /// and the thumbnails of a binding.
    func context(in rows: some IndexReading) throws -> IndexChange {
        var context = IndexChange()
        for record in originals where record.digest == nil {
            if let known = try rows.original(url: record.url) { context.originals.append(known) }
        }
        for original in Set(bindings.compactMap(\.original)) {
            context.thumbnails += try rows.thumbnails(of: original)
            if let summary = try rows.summary(of: original) { context.summaries.append(summary) }
        }
        return context
    }

    /// Returns the records whose keys have no row.
    func unknown(in database: Database) throws -> IndexChange {
        var unknown = self
        unknown.originals = try originals.filter {
            try IndexRows.original(database, url: $0.url) == nil
        }
        unknown.thumbnails = try thumbnails.filter {
            try IndexRows.thumbnail(database, $0.key) == nil
        }
        unknown.bindings = try bindings.filter {
            try IndexRows.binding(database, item: $0.item, level: $0.level) == nil
        }
        unknown.documents = try documents.filter {
            try IndexRows.document(database, $0.key) == nil
        }
        unknown.quarantined = try quarantined.filter {
            try IndexRows.quarantined(database, $0.original) == nil
        }
        return unknown
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
