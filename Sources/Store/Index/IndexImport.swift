import GRDB
import Glibc
import Memory
import Synchronization

/// Copies the rows of the earlier index into this one, in small batches, in one process at a time.
/// Its place is kept in the new file, so that it continues after a crash. The earlier file is not
/// changed, and its rows are found meanwhile. Any thread.
final class IndexImport: Sendable {
    /// Rows per transaction, so that other writers get their turn.
    private static let batch = 500

    private let layout: StoreLayout
    private let database: IndexDatabase
    private let reporter: StoreReporter
    private let threads: IOThreads
    private let pool: DatabasePool
    private let isActive = Atomic(true)

    /// Nil without an earlier index, or if everything of it is copied.
    init?(
        _ layout: StoreLayout, _ policy: StorePolicy, _ database: IndexDatabase,
        _ reporter: StoreReporter, _ threads: IOThreads
    ) {
        guard access(layout.earlierDatabase, F_OK) == 0 else { return nil }
        do throws(StoreError) {
            if try database.read({ try ImportProgress.isDone($0) }) { return nil }
        } catch {
            // An index that can't be read finds the rows of the earlier one.
        }
        guard
            let pool = IndexSchema.openToRead(
                layout.earlierDatabase, layout, policy,
                { $0.contains("v1") && $0.isSubset(of: EarlierRows.migrations) })
        else { return nil }
        self.layout = layout
        self.database = database
        self.reporter = reporter
        self.threads = threads
        self.pool = pool
    }

    /// Returns what `select` finds in the earlier index; nil if everything is copied. Unreadable
    /// rows count as missing. Blocks.
    func read<Value>(
        or nothing: Value, _ select: (EarlierRows) throws -> Value
    ) throws(StoreError) -> Value? {
        guard isActive.load(ordering: .acquiring) else { return nil }
        // Another process may have copied everything, and then removed rows.
        if try isFinished() {
            isActive.store(false, ordering: .releasing)
            return nil
        }
        do {
            return try pool.unsafeRead { try select(EarlierRows($0)) }
        } catch {
            reporter.note(.unreadable(StoreError(index: error, layout)))
            return nothing
        }
    }

    var isRunning: Bool { isActive.load(ordering: .acquiring) }

    private func isFinished() throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try database.read { try ImportProgress.isDone($0) }
        } catch {
            if error == .stopped { throw error }
            return false
        }
    }

    /// Copies until everything is copied, or another process copies. Returns whether everything is.
    func run() async throws(StoreError) -> Bool {
        let lock = await threads.run { [layout] in HeldLock(taking: layout.importLock) }
        guard let lock else {
            return try await threads.run { () throws(StoreError) in try self.isFinished() }
        }
        defer { withExtendedLifetime(lock) {} }
        if try await threads.run({ () throws(StoreError) in try self.isFinished() }) { return true }
        for table in EarlierRows.Table.allCases {
            while try await copy(table) {
                if Task.isCancelled { return false }
            }
        }
        try await end()
        return true
    }

    /// Copies everything, or waits for the process that does.
    func finish() async throws(StoreError) {
        while isRunning {
            if try await run() { return }
            if Task.isCancelled {
                throw .index(reason: "the import of the earlier index was canceled")
            }
            // Another process copies. There is nothing to be notified of.
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Ends the import. Rows that are not copied are lost, and their pictures are made again.
    func end() async throws(StoreError) {
        let result = await database.write { try ImportProgress.end($0) }
        if case .failure(let failure) = result { throw failure.cause }
        isActive.store(false, ordering: .releasing)
        StateChange.tell()
    }

    /// Copies the next batch of a table. Returns false at the table's end.
    private func copy(_ table: EarlierRows.Table) async throws(StoreError) -> Bool {
        let (place, isDone) = try await threads.run { [database] () throws(StoreError) in
            try database.read { try ImportProgress.place(of: table, $0) }
        }
        if isDone { return false }
        let next = await threads.run { [self] in nextRows(of: table, after: place) }
        let result = await database.write { database in
            guard let next else {
                try ImportProgress.keep(table, place, copied: 0, isDone: true, database)
                return
            }
            try next.change.unknown(in: database).applyLeniently(to: database)
            try ImportProgress.keep(
                table, next.place, copied: next.change.count, isDone: false, database)
        }
        if case .failure(let failure) = result { throw failure.cause }
        return next != nil
    }

    /// Returns nil at the end, and where the file is damaged.
    private func nextRows(
        of table: EarlierRows.Table, after place: DatabaseValue
    ) -> (change: IndexChange, place: DatabaseValue)? {
        do {
            return try pool.unsafeRead {
                try EarlierRows($0).rows(of: table, after: place, count: Self.batch)
            }
        } catch {
            reporter.note(.unreadable(StoreError(index: error, layout)))
            return nil
        }
    }

    /// Returns the digests of all blobs that the earlier index refers to.
    func digests() async throws(StoreError) -> Set<Digest> {
        try await threads.run { [self] () throws(StoreError) in
            do {
                return try pool.unsafeRead { database in
                    let rows = EarlierRows(database)
                    var digests: Set<Digest> = []
                    var last: Digest?
                    while true {
                        let next = try rows.digests(after: last, count: 1_000)
                        guard let end = next.last else { return digests }
                        digests.formUnion(next)
                        last = end
                    }
                }
            } catch {
                throw StoreError(index: error, layout)
            }
        }
    }

    func close() {
        isActive.store(false, ordering: .releasing)
        do {
            try pool.close()
        } catch {
            // A reading connection has nothing to lose.
        }
    }
}

/// The lock of a file, held until the value is gone.
private final class HeldLock: Sendable {
    private let file: FileDescriptor

    /// Nil if another process or thread holds it, or the file can't be opened.
    init?(taking path: String) {
        do throws(Errno) {
            file = try FileDescriptor(
                opening: path, O_CREAT | O_RDWR, mode: StoreLayout.fileMode)
            guard try file.lock(waiting: false) else { return nil }
        } catch {
            return nil
        }
    }
}
