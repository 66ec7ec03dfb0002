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
        var unknown = self
        unknown.originals = try originals.filter { try !IndexRows.isKnown(database, $0) }
        unknown.thumbnails = try thumbnails.filter { try !IndexRows.isKnown(database, $0.key) }
        unknown.bindings = try bindings.filter { try !IndexRows.isKnown(database, $0) }
        unknown.documents = try documents.filter {
            try IndexRows.number(
                database, "SELECT rowid FROM documents WHERE key = ?", [$0.key]) == nil
        }
        unknown.quarantined = try quarantined.filter {
            try IndexRows.number(
                database, "SELECT 1 FROM quarantine WHERE original = ?", [$0.original.data])
                == nil
        }
        return unknown
    }
}

extension IndexRows {
    fileprivate static func isKnown(
        _ database: Database, _ record: OriginalRecord
    ) throws -> Bool {
        try number(
            database, "SELECT id FROM originals WHERE urlHash = ? AND url = ?",
            [OriginalRecord.hash(ofURL: record.url), record.url]) != nil
    }

    fileprivate static func isKnown(_ database: Database, _ key: ThumbnailKey) throws -> Bool {
        let sql = """
            SELECT 1 FROM pictures CROSS JOIN thumbnails
                ON thumbnails.picture = pictures.id AND thumbnails.rendition = (
                    SELECT id FROM renditions WHERE level = ?2 AND format = ?3 AND recipe = ?4)
            WHERE \(IndexKeys.digest("pictures", is: "?1"))
            """
        return try number(
            database, sql, [key.original.data, key.level, key.format, key.recipe]) != nil
    }

    fileprivate static func isKnown(
        _ database: Database, _ record: BindingRecord
    ) throws -> Bool {
        let sql = """
            SELECT 1 FROM items CROSS JOIN bindings ON bindings.item = items.id
            WHERE items.name = ? AND bindings.level = ?
            """
        return try number(database, sql, [record.item, record.level]) != nil
    }
}
