import Synchronization

/// Rows that the disk did not take yet. They are newer than those on disk, except summaries. Any
/// thread. Calls wait while the rows are written to the disk.
final class UnsavedRows: Sendable {
    private struct State {
        var rows = WaitingRows()
        /// About what the rows take, and those that others have replaced since they were weighed.
        var bytes = 0
    }

    private let limit: Int
    private let state = Mutex(State())
    private let isFilled = Atomic(false)

    /// - Parameter bytes: limit of the memory for rows.
    init(bytes: Int) { limit = bytes }

    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    /// Returns what is found among the rows; nil if there are none.
    func read<Value>(_ look: (WaitingRows) -> Value) -> Value? {
        isEmpty ? nil : state.withLock { look($0.rows) }
    }

    func change<Value>(_ update: (inout WaitingRows) throws -> Value) rethrows -> Value {
        try state.withLock { state in
            defer { isFilled.store(!state.rows.isEmpty, ordering: .releasing) }
            return try update(&state.rows)
        }
    }

    /// Adds rows. Returns false if the memory was full and all earlier rows were dropped.
    func add(_ added: IndexChange) -> Bool {
        state.withLock { state in
            defer { isFilled.store(!state.rows.isEmpty, ordering: .releasing) }
            let weight = added.weight
            state.bytes += weight
            state.rows.add(added)
            if state.bytes <= limit { return true }
            // Seldom: a quarter of the memory is free afterward.
            state.bytes = state.rows.all.weight
            if state.bytes <= limit - limit / 4 { return true }
            state = State()
            // The rows alone may exceed the limit.
            if weight <= limit {
                state.rows.add(added)
                state.bytes = weight
            }
            return false
        }
    }

    /// Passes all rows to `save` and removes them when it returns. No row is added meanwhile.
    func drain(_ save: (IndexChange) throws -> Void) throws {
        try state.withLock { state in
            try save(state.rows.all)
            state = State()
            isFilled.store(false, ordering: .releasing)
        }
    }
}

extension IndexChange {
    /// Bytes of a row besides its texts: the record, and its place in a table.
    private static let overhead = 512

    /// About the bytes that the rows take in memory.
    fileprivate var weight: Int {
        var weight = count * Self.overhead
        func add(_ texts: String?...) {
            for text in texts { weight += text?.utf8.count ?? 0 }
        }
        for record in originals {
            add(record.url, record.format, record.entityTag, record.lastModified)
            add(record.failure?.kind, record.failure?.reason)
        }
        for record in items {
            add(record.item)
            for resolution in record.resolutions {
                add(resolution.url, resolution.failure?.kind, resolution.failure?.reason)
                weight += Self.overhead + (resolution.trace?.bytes.count ?? 0)
            }
        }
        for record in summaries { weight += record.thumbHash.count }
        for record in thumbnails { add(record.key.level, record.key.format, record.key.recipe) }
        for record in documents {
            add(record.key)
            weight += record.body.count
        }
        for record in quarantined { add(record.recipe, record.reason) }
        return weight
    }
}
