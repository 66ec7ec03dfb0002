import Synchronization

/// Rows that the disk did not take yet. They are newer than those on disk, except summaries. Any
/// thread. Calls wait while the rows are written to the disk.
final class UnsavedRows: Sendable {
    private let limit: Int
    private let rows = Mutex(WaitingRows())
    private let isFilled = Atomic(false)

    /// - Parameter bytes: limit of the memory for rows.
    init(bytes: Int) { limit = bytes }

    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    /// Returns what is found among the rows; nil if there are none.
    func read<Value>(_ look: (WaitingRows) -> Value) -> Value? {
        isEmpty ? nil : rows.withLock { look($0) }
    }

    func change<Value>(_ update: (inout WaitingRows) throws -> Value) rethrows -> Value {
        try rows.withLock { rows in
            defer { isFilled.store(rows.bytes > 0, ordering: .releasing) }
            return try update(&rows)
        }
    }

    /// Adds rows. Returns false if the memory was full and all earlier rows were dropped.
    func add(_ added: IndexChange) -> Bool {
        change { rows in
            rows.add(added)
            if rows.bytes <= limit { return true }
            rows = WaitingRows()
            rows.add(added)
            // The rows alone may exceed the limit.
            if rows.bytes > limit { rows = WaitingRows() }
            return false
        }
    }

    /// Passes all rows to `save` and removes them when it returns. No row is added meanwhile.
    func drain(_ save: (IndexChange) throws -> Void) throws {
        try change { rows in
            try save(rows.all)
            rows = WaitingRows()
        }
    }
}
