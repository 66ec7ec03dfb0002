import GRDB
import Synchronization

/// Rows that are not on disk yet, in tables like the index's. They are newer than those on disk.
/// Calls block. Any thread.
final class UnsavedRows: Sendable {
    private static let pageSize = 4_096

    private let queue: DatabaseQueue
    private let isFilled = Atomic(false)

    /// - Parameter bytes: limit of the memory for rows.
    init(bytes: Int) throws(StoreError) {
        do {
            var configuration = Configuration()
            configuration.label = "unsaved"
            queue = try DatabaseQueue(configuration: configuration)
            try IndexSchema.migrator.migrate(queue)
            let pages = max(96, bytes / Self.pageSize)
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA max_page_count = \(pages)")
            }
        } catch {
            throw .index(reason: "tables in memory can't be made: \(error)")
        }
    }

    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    /// Adds rows; those of `context` only if their keys are unknown. Returns false if the memory
    /// was full and all earlier rows were dropped.
    func add(_ change: IndexChange, context: IndexChange) throws -> Bool {
        do {
            try insert(change, context)
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            try queue.write { try Self.clear($0) }
            do {
                try insert(change, IndexChange())
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
                // The change alone exceeds the limit.
            }
            return false
        }
    }

    private func insert(_ change: IndexChange, _ context: IndexChange) throws {
        try queue.write { database in
            try context.unknown(in: database).applyLeniently(to: database)
            try change.applyLeniently(to: database)
            isFilled.store(true, ordering: .releasing)
        }
    }

    func read<Value>(_ select: (Database) throws -> Value) throws -> Value {
        try queue.read(select)
    }

    func write<Value>(_ update: (Database) throws -> Value) throws -> Value {
        try queue.write(update)
    }

    /// Passes all rows to `save` and removes them when it returns. No row is added meanwhile.
    func drain(_ save: (IndexChange) throws -> Void) throws {
        try queue.write { database in
            try save(try IndexRows.everything(database))
            try Self.clear(database)
            isFilled.store(false, ordering: .releasing)
        }
    }

    private static func clear(_ database: Database) throws {
        for table in IndexSchema.tables { try database.execute(sql: "DELETE FROM \(table)") }
    }
}
