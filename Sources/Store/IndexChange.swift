import GRDB

/// Rows to be written together; a value, so that they can wait in memory until the disk takes them.
struct IndexChange: Sendable {
    var originals: [OriginalRecord] = []
    var summaries: [SummaryRecord] = []
    var thumbnails: [ThumbnailRecord] = []
    var bindings: [BindingRecord] = []
    var documents: [DocumentRecord] = []
    var quarantined: [QuarantineRecord] = []

    /// Replaces the records of their keys, in the transaction that is open.
    func apply(to database: Database) throws {
        try apply(to: database) { try $0() }
    }

    /// The same, but leaves out rows that the tables don't take: one bad value must not hold up the
    /// others for ever.
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

    /// Rows that these are to be understood with: a failure keeps what is known of its original, and
    /// a binding is shown with its thumbnails.
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
