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
            try copy(\.originals, IndexRows.eachOriginal, database, into: target)
            try copy(\.summaries, IndexRows.eachSummary, database, into: target)
            try copy(\.thumbnails, IndexRows.eachThumbnail, database, into: target)
            try copy(\.bindings, IndexRows.eachBinding, database, into: target)
            try copy(\.documents, IndexRows.eachDocument, database, into: target)
            try copy(\.quarantined, IndexRows.eachQuarantined, database, into: target)
        }
        try source.close()
    }

    private func copy<Record>(
        _ table: WritableKeyPath<IndexChange, [Record]>,
        _ each: (Database, RowOrder, (Record) throws -> Void) throws -> Void, _ source: Database,
        into target: any DatabaseWriter
    ) throws {
        for order in RowOrder.allCases {
            var change = IndexChange()
            do {
                try each(source, order) { record in
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
