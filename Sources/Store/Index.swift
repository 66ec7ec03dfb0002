import GRDB
import Glibc
import Synchronization

/// The SQLite index beside the blobs (WAL, through GRDB): finds blobs again, and nothing that can't
/// be made anew.
///
/// Reads run on the index's own threads, writes one after another on GRDB's queue; both suspend the
/// caller, and a cancelled task gets its answer all the same. Several processes can share an index.
/// A record survives the death of the process when its method has returned, but not always a power
/// cut; whole it is in any case.
package final class Index: Sendable {
    /// How long a write waits, in seconds, for another process's write.
    static let writePatience = 10.0
    /// Connections, and threads, that read at once; each holds up to 2 MB of pages.
    static let readers = 4

    let layout: StoreLayout
    private let pool: DatabasePool
    private let threads: IOThreads
    private let isClosed = Atomic(false)

    /// Whether the index on disk was damaged when it was opened; it was moved to quarantine then, and
    /// this one began empty.
    package let wasRebuilt: Bool

    /// Opens, or creates and migrates, `index/vitrine.sqlite` under `root`. Blocks, also while another
    /// process is doing the same.
    package init(root: String) throws(StoreError) {
        let layout = try StoreLayout(opening: root)
        self.layout = layout
        (pool, wasRebuilt) = try Self.withOpeningLock(layout) { () throws(StoreError) in
            do {
                return (try IndexSchema.open(layout), false)
            } catch let error as DatabaseError where error.isDamage {
                let quarantine = Quarantine(layout: layout)
                // The log first: SQLite would replay one that is left into the new database.
                for suffix in ["-wal", "-shm", ""] { try quarantine.take(layout.database + suffix) }
                do {
                    return (try IndexSchema.open(layout), true)
                } catch {
                    throw StoreError(index: error, layout)
                }
            } catch {
                throw StoreError(index: error, layout)
            }
        }
        threads = IOThreads(count: Self.readers)
    }

    /// Checkpoints and closes; later calls throw ``StoreError/stopped``. Idempotent. Blocks until
    /// running calls are done.
    package func close() throws(StoreError) {
        if isClosed.exchange(true, ordering: .sequentiallyConsistent) { return }
        do {
            do {
                try pool.writeWithoutTransaction { database in
                    _ = try database.checkpoint(.truncate)
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // Another process reads or writes; the last one to close does it.
            }
            try pool.close()
        } catch {
            throw StoreError(index: error, layout)
        }
    }

    package func original(url: String) async throws(StoreError) -> OriginalRecord? {
        try await read { try IndexRows.original($0, url: url) }
    }

    /// Replaces the record of its URL; but where the new one has no digest and the old one has, the
    /// old one keeps all that describes its bytes (digest, sizes, format, validators, both dates), and
    /// only the failure is replaced.
    package func record(_ original: OriginalRecord) async throws(StoreError) {
        try await write { try IndexRows.upsert($0, original) }
    }

    package func thumbnail(_ key: ThumbnailKey) async throws(StoreError) -> ThumbnailRecord? {
        try await read { try IndexRows.thumbnail($0, key) }
    }

    package func binding(item: String, level: String) async throws(StoreError) -> BindingRecord? {
        try await read { try IndexRows.binding($0, item: item, level: level) }
    }

    /// All levels of an item that are bound, for `explain`; by level key.
    package func bindings(item: String) async throws(StoreError) -> [BindingRecord] {
        try await read { try IndexRows.bindings($0, item: item) }
    }

    /// All thumbnails of an original, every recipe; by key.
    package func thumbnails(of original: Digest) async throws(StoreError) -> [ThumbnailRecord] {
        try await read { try IndexRows.thumbnails($0, of: original) }
    }

    /// One transaction: the thumbnails of a render and the item's bindings to their original, each
    /// replacing the record of its key; and the summary, unless its original has one already.
    package func record(
        thumbnails: [ThumbnailRecord], bindings: [BindingRecord], summary: SummaryRecord? = nil
    ) async throws(StoreError) {
        try await write { database in
            if let summary { try IndexRows.insert(database, summary) }
            for thumbnail in thumbnails { try IndexRows.upsert(database, thumbnail) }
            for binding in bindings { try IndexRows.upsert(database, binding) }
        }
    }

    /// A small document under a key: an item's details, a catalogue page. Opaque to the store.
    package func document(_ key: String) async throws(StoreError) -> DocumentRecord? {
        try await read { try IndexRows.document($0, key) }
    }

    /// Replaces the documents of their keys, in one transaction.
    package func record(documents: [DocumentRecord]) async throws(StoreError) {
        try await write { database in
            for document in documents { try IndexRows.upsert(database, document) }
        }
    }

    package func statistics() async throws(StoreError) -> IndexStatistics {
        try await read { try IndexRows.statistics($0) }
    }

    /// Runs one SELECT; several would need a transaction to see the same state.
    func read<Value: Sendable>(
        _ select: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await threads.run { [self] () throws(StoreError) in
            try mapped { try pool.unsafeRead(select) }
        }
    }

    /// Runs one transaction. Waits for other writers, at most ``writePatience`` for another process.
    func write<Value: Sendable>(
        _ update: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            pool.asyncWrite(update) { _, result in continuation.resume(returning: result) }
        }
        return try mapped { try result.get() }
    }

    /// Makes the index empty, however damaged it is; other processes see it empty from then on.
    func erase() async throws(StoreError) {
        try await threads.run { [self] () throws(StoreError) in
            try mapped {
                try pool.erase()
                try IndexSchema.migrator.migrate(pool)
            }
        }
    }

    private func mapped<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            if isClosed.load(ordering: .sequentiallyConsistent) { throw .stopped }
            throw StoreError(index: error, layout)
        }
    }

    /// One process at a time: two that find the same damage must not both move it away.
    static func withOpeningLock<Value>(
        _ layout: StoreLayout, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let path = layout.indexLock
        let file = try layout.trying("lock", path) { () throws(Errno) in
            let file = try FileDescriptor(
                opening: path, O_CREAT | O_RDWR, mode: StoreLayout.fileMode)
            do throws(Errno) {
                _ = try file.lock(waiting: true)
            } catch {
                // A filesystem without locks: SQLite will say what it thinks of that.
                if !error.isMissingLocks { throw error }
            }
            return file
        }
        defer { withExtendedLifetime(file) {} }
        return try body()
    }
}
