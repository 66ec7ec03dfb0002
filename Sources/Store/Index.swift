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
    private let database: IndexDatabase
    /// Rows that the disk did not take; none where a failure is thrown instead.
    private let unsaved: UnsavedRows?
    private let catchUp: CatchUp
    private let reporter: StoreReporter
    private let threads: IOThreads

    /// Whether the index on disk was damaged when it was opened; it was set aside then, and this one
    /// began empty.
    package var wasRebuilt: Bool { database.wasRebuilt }

    /// Opens, or creates and migrates, `index/vitrine.sqlite` under `root`. Blocks, also while another
    /// process is doing the same.
    ///
    /// Where the policy holds rows in memory, a file that can't be written, or not even read, is no
    /// error: it is opened again and again in the background, and gets the rows then.
    package init(root: String, policy: StorePolicy = StorePolicy()) throws(StoreError) {
        layout = try StoreLayout(opening: root, policy)
        reporter = StoreReporter(policy)
        catchUp = CatchUp(policy)
        unsaved = policy.goesOn ? try UnsavedRows(bytes: policy.rowBytes) : nil
        threads = IOThreads(count: Self.readers)
        database = try IndexDatabase(layout, policy, reporter, threads)
        if !database.isWritable { startCatchUp() }
    }

    /// Checkpoints and closes; later calls throw ``StoreError/stopped``. Idempotent. Blocks until
    /// running calls are done.
    package func close() throws(StoreError) {
        catchUp.stop()
        try database.close { disk in
            guard let unsaved, !unsaved.isEmpty else { return }
            try disk.inTransaction(.immediate) {
                try unsaved.drain { try $0.applyLeniently(to: disk) }
                return .commit
            }
        }
    }

    /// How the index stands.
    package var status: StoreStatus { reporter.status }

    package func original(url: String) async throws(StoreError) -> OriginalRecord? {
        try await first { try IndexRows.original($0, url: url) }
    }

    /// Replaces the record of its URL; but where the new one has no digest and the old one has, the
    /// old one keeps all that describes its bytes (digest, sizes, format, validators, both dates), and
    /// only the failure is replaced.
    package func record(_ original: OriginalRecord) async throws(StoreError) {
        try await keep(IndexChange(originals: [original]))
    }

    package func thumbnail(_ key: ThumbnailKey) async throws(StoreError) -> ThumbnailRecord? {
        try await first { try IndexRows.thumbnail($0, key) }
    }

    package func binding(item: String, level: String) async throws(StoreError) -> BindingRecord? {
        try await first { try IndexRows.binding($0, item: item, level: level) }
    }

    /// All levels of an item that are bound, for `explain`; by level key.
    package func bindings(item: String) async throws(StoreError) -> [BindingRecord] {
        try await all(by: \.level) { try IndexRows.bindings($0, item: item) }
            .sorted { $0.level < $1.level }
    }

    /// All thumbnails of an original, every recipe; by key.
    package func thumbnails(of original: Digest) async throws(StoreError) -> [ThumbnailRecord] {
        try await all(by: \.key) { try IndexRows.thumbnails($0, of: original) }
            .sorted { $0.key < $1.key }
    }

    /// One transaction: the thumbnails of a render and the item's bindings to their original, each
    /// replacing the record of its key; and the summary, unless its original has one already.
    package func record(
        thumbnails: [ThumbnailRecord], bindings: [BindingRecord], summary: SummaryRecord? = nil
    ) async throws(StoreError) {
        try await keep(
            IndexChange(
                summaries: [summary].compactMap(\.self), thumbnails: thumbnails,
                bindings: bindings))
    }

    /// A small document under a key: an item's details, a catalogue page. Opaque to the store.
    package func document(_ key: String) async throws(StoreError) -> DocumentRecord? {
        try await first { try IndexRows.document($0, key) }
    }

    /// Replaces the documents of their keys, in one transaction.
    package func record(documents: [DocumentRecord]) async throws(StoreError) {
        try await keep(IndexChange(documents: documents))
    }

    package func statistics() async throws(StoreError) -> IndexStatistics {
        try await threads.run { [self] () throws(StoreError) in
            try stored(or: IndexStatistics()) { try IndexRows.statistics($0) }
        }
    }

    /// Whether a blob of that digest is what any row names.
    package func names(_ digest: Digest) async throws(StoreError) -> Bool {
        try await first { try IndexRows.isNamed($0, digest) ? true : nil } ?? false
    }

    /// Runs one SELECT on the disk's tables; several would need a transaction to see the same state.
    func read<Value: Sendable>(
        _ select: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await threads.run { [self] () throws(StoreError) in try database.read(select) }
    }

    /// What `select` finds among the rows that wait for the disk, else on the disk.
    func first<Value: Sendable>(
        _ select: @escaping @Sendable (Database) throws -> Value?
    ) async throws(StoreError) -> Value? {
        try await threads.run { [self] () throws(StoreError) in
            if let newer = try waiting(or: nil, select) { return newer }
            return try stored(or: nil, select)
        }
    }

    /// What `select` finds in both places; of rows with the same key the one that waits for the disk.
    func all<Record: Sendable, Key: Hashable & SendableMetatype>(
        by key: @escaping @Sendable (Record) -> Key,
        _ select: @escaping @Sendable (Database) throws -> [Record]
    ) async throws(StoreError) -> [Record] {
        try await threads.run { [self] () throws(StoreError) in
            let newer = try waiting(or: [], select)
            let older = try stored(or: [], select)
            if newer.isEmpty { return older }
            let replaced = Set(newer.map(key))
            return newer + older.filter { !replaced.contains(key($0)) }
        }
    }

    private func waiting<Value>(
        or nothing: Value, _ select: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        guard let unsaved, !unsaved.isEmpty else { return nothing }
        do {
            return try unsaved.read(select)
        } catch {
            throw StoreError(index: error, layout)
        }
    }

    /// What can't be read counts as missing, where answers go on without the disk.
    private func stored<Value>(
        or nothing: Value, _ select: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try database.read(select)
        } catch {
            guard let unsaved, error != .stopped else { throw error }
            reporter.note(.unreadable(error))
            if !database.isWritable { startCatchUp() }
            // A request that no table can answer, such as one with a NUL, fails here too.
            do {
                _ = try unsaved.read(select)
            } catch {
                throw StoreError(index: error, layout)
            }
            return nothing
        }
    }

    /// Runs one transaction on the disk's tables. Waits for other writers, for another process's as
    /// long as the policy says.
    func write<Value: Sendable>(
        _ update: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await database.write(update)
        do throws(IndexDatabase.WriteFailure) {
            return try result.get()
        } catch {
            throw error.cause
        }
    }

    /// Writes rows, or holds them in memory until the disk takes them.
    func keep(_ change: IndexChange) async throws(StoreError) {
        guard let unsaved else {
            try await write { try change.apply(to: $0) }
            return
        }
        if unsaved.isEmpty {
            // Those behind a writer that waits for a lock in vain must not wait as long again.
            let result = await database.write(unless: { !unsaved.isEmpty }) {
                try change.apply(to: $0)
            }
            guard case .failure(let failure) = result else { return }
            if failure.cause == .stopped { throw failure.cause }
            reporter.note(.behind(failure.cause))
            if let damaged = failure.damaged {
                await threads.run { [database] in database.mend(damaged) }
            }
        }
        try await threads.run { [self] () throws(StoreError) in try hold(change, unsaved) }
        startCatchUp()
    }

    private func hold(_ change: IndexChange, _ unsaved: UnsavedRows) throws(StoreError) {
        var context = IndexChange()
        do throws(StoreError) {
            context = try database.read { try change.context(in: $0) }
        } catch {
            if error == .stopped { throw error }
            reporter.note(.unreadable(error))
        }
        do {
            let isWhole = try unsaved.add(change, context: context)
            if !isWhole { reporter.note(.dropped) }
        } catch {
            throw StoreError(index: error, layout)
        }
    }

    private func startCatchUp() {
        catchUp.start { [weak self] in await self?.saveWaiting() ?? true }
    }

    /// Whether nothing waits for the disk any more.
    private func saveWaiting() async -> Bool {
        guard let unsaved else { return true }
        let isOpen = await threads.run { [database] in database.reopen() }
        guard isOpen else { return false }
        if !unsaved.isEmpty {
            let saved = await database.write { try Self.save(unsaved, to: $0) }
            if case .failure(let failure) = saved {
                if failure.cause == .stopped { return true }
                reporter.note(.behind(failure.cause))
                if let damaged = failure.damaged {
                    await threads.run { [database] in database.mend(damaged) }
                }
                return false
            }
        }
        reporter.note(.caughtUp)
        return unsaved.isEmpty
    }

    /// Commits before the rows are forgotten.
    private static func save(_ unsaved: UnsavedRows, to disk: Database) throws {
        try unsaved.drain { rows in
            try rows.applyLeniently(to: disk)
            try disk.commit()
        }
    }

    /// The same purge of the rows that wait for the disk; nil where none do.
    func purgeWaiting(_ order: PurgeRequest) async throws(StoreError) -> IndexPurge? {
        guard let unsaved, !unsaved.isEmpty else { return nil }
        return try await threads.run { [layout] () throws(StoreError) in
            do {
                return try unsaved.write { try IndexRows.purge($0, order) }
            } catch {
                throw StoreError(index: error, layout)
            }
        }
    }

    /// Makes the index empty, however damaged it is; other processes see it empty from then on.
    func erase() async throws(StoreError) {
        try await threads.run { [database] () throws(StoreError) in try database.erase() }
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
