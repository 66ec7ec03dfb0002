import GRDB

/// Copies the readable rows of a damaged index into a new one. Rows are copied as records, because
/// the numbers in them mean something else in another file.
struct IndexSalvage {
    /// Records per transaction, so that other writers get their turn.
    private static let batch = 500

    /// The damaged file that was moved aside.
    let path: String

    /// Adds records whose keys have no row. Each table is read from both ends up to the damage.
    /// Blocks.
    func copy(into target: any DatabaseWriter) throws {
        var configuration = Configuration()
        configuration.label = "salvage"
        configuration.readonly = true
        let source = try DatabaseQueue(path: path, configuration: configuration)
        try source.unsafeRead { database in
            func copy<Record>(
                _ table: WritableKeyPath<IndexChange, [Record]>, _ rows: String, by key: String,
                _ record: @escaping (inout RowColumns) throws -> Record
            ) throws {
                try self.copy(table, into: target) { order, body in
                    try IndexRows.each(
                        database, "\(rows) ORDER BY \(key) \(order)", record, body)
                }
            }
            try copy(\.originals, IndexRows.originalRows, by: "originals.id", IndexRows.original)
            try copy(\.summaries, IndexRows.summaryRows, by: "id", IndexRows.summary)
            try copy(
                \.thumbnails, IndexRows.thumbnailRows, by: "pictures.id", IndexRows.thumbnail)
            try copy(\.items, IndexRows.itemRows, by: "items.id", IndexRows.item)
            try copy(\.documents, IndexRows.documentRows, by: "rowid", IndexRows.document)
            try copy(
                \.quarantined, IndexRows.quarantineRows, by: "original",
                IndexRows.quarantineRecord)
        }
        try source.close()
    }

    private func copy<Record>(
        _ table: WritableKeyPath<IndexChange, [Record]>, into target: any DatabaseWriter,
        _ each: (_ order: String, _ body: (Record) throws -> Void) throws -> Void
    ) throws {
        for order in ["ASC", "DESC"] {
            var change = IndexChange()
            do {
                try each(order) { record in
                    change[keyPath: table].append(record)
                    if change.count == Self.batch {
                        try insert(change, into: target)
                        change = IndexChange()
                    }
                }
                return try insert(change, into: target)
            } catch let error as TargetFailure {
                throw error.cause
            } catch {
                // The rows up to the damage.
                try insert(change, into: target)
            }
        }
    }

    private struct TargetFailure: Error {
        var cause: any Error
    }

    private func insert(_ change: IndexChange, into target: any DatabaseWriter) throws {
        do {
            try target.write { database in
                try change.unknown(in: database).applyLeniently(to: database)
            }
        } catch {
            throw TargetFailure(cause: error)
        }
    }
}
