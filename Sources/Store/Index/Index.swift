import FoundationEssentials
import GRDB
import Glibc
import Synchronization
import Threads

/// The SQLite index of the blobs (WAL, through GRDB). All of its content can be rebuilt.
///
/// Reads run on the index's own threads, writes in groups on GRDB's queue. Both suspend the
/// caller, and a canceled task still gets its result. Several processes can share an index. When a
/// method has returned, its record survives the death of the process, but not always a power cut.
/// Records are never partial.
package final class Index: Sendable {
    let layout: StoreLayout
    private let database: StoreDatabase
    /// Rows that are not on disk yet; nil if failures are thrown instead.
    let unsaved: UnsavedRows?
    private let catchUp: CatchUp
    private let reporter: StoreReporter
    let threads: ThreadPool
    /// What this process works on, for all of it that shares its work itself.
    package let claims: Claims
    /// Others, for purges of a shared store: they exclude uploads of this process, too.
    package let purgeClaims: Claims

    /// Whether the index on disk was damaged when it was opened. It was then moved aside, and this
    /// one began empty.
    package var wasRebuilt: Bool { database.wasRebuilt }

    /// Opens, or creates and migrates, `index/pictures.sqlite` under `root`. Blocks, also while
    /// another process does the same.
    ///
    /// If the policy allows to work from memory, an unreadable or read-only file is not an error.
    /// Opening is retried in the background, and the rows are written then.
    package init(root: String, policy: StorePolicy = StorePolicy()) throws(StoreError) {
        layout = try StoreLayout(opening: root, policy)
        claims = Claims(layout)
        purgeClaims = Claims(layout)
        reporter = StoreReporter(policy)
        catchUp = CatchUp(policy)
        unsaved = policy.worksFromMemory ? UnsavedRows(bytes: policy.rowBytes) : nil
        threads = ThreadPool("store-index", count: IndexSchema.readers)
        database = try StoreDatabase(
            IndexSchema.form(layout), layout, policy, reporter, threads)
        if !database.isWritable { startCatchUp() }
    }

    /// Checkpoints and closes. Later calls throw ``StoreError/stopped``. Idempotent. Blocks until
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

    /// The state of the index.
    package var status: StoreStatus { reporter.status }

    /// Replaces the record of its URL. If only the old record has a digest, it keeps everything
    /// that describes its bytes (digest, sizes, format, validators, both dates), and only the
    /// failure is replaced.
    package func record(_ original: OriginalRecord) async throws(StoreError) {
        try await keep(IndexChange(originals: [original]))
    }

    /// Stores what is known of pictures in one transaction. What is said of a level of an item replaces what
    /// was said of it before. The summaries of originals that have one stay.
    package func record(
        originals: [OriginalRecord] = [], summaries: [SummaryRecord] = [],
        thumbnails: [ThumbnailRecord] = [], items: [ItemRecord] = [],
        documents: [DocumentRecord] = []
    ) async throws(StoreError) {
        try await keep(
            IndexChange(
                originals: originals, summaries: summaries, thumbnails: thumbnails,
                items: items, documents: documents))
    }

    /// Replaces the record of its original.
    package func record(_ quarantined: QuarantineRecord) async throws(StoreError) {
        try await keep(IndexChange(quarantined: [quarantined]))
    }

    /// Runs one SELECT on the disk's tables. Several would need a transaction for a consistent
    /// view.
    func read<Value: Sendable>(
        _ select: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await threads.run { [self] () throws(StoreError) in try database.read(select) }
    }

    /// Returns what waits in memory, else what is on disk. On the calling thread, which may wait for
    /// the disk, as with the functions below.
    func found<Value>(
        _ waiting: (WaitingRows) -> Value?, _ select: (Database) throws -> Value?
    ) throws(StoreError) -> Value? {
        if let newer = unsaved?.read(waiting) ?? nil { return newer }
        return try stored(or: nil, select)
    }

    /// Returns what waits in memory and what is on disk. A row in memory replaces one with the same
    /// key.
    func all<Record, Key: Hashable>(
        by key: (Record) -> Key, _ waiting: (WaitingRows) throws(StoreError) -> [Record],
        _ select: (Database) throws -> [Record]
    ) throws(StoreError) -> [Record] {
        guard let rows = unsaved?.read(\.self) else { return try stored(or: [], select) }
        let newer = try waiting(rows)
        let replaced = Set(newer.map(key))
        return newer + (try stored(or: [], select)).filter { !replaced.contains(key($0)) }
    }

    /// Whether no rows are in memory.
    var hasAllOnDisk: Bool { unsaved?.isEmpty != false }

    /// Reads from disk. If the policy allows to work from memory, unreadable rows count as missing.
    func stored<Value>(
        or nothing: Value, _ select: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) {
            guard unsaved != nil else { return try database.read(select) }
            let faults = RowFaults()
            let found = RowFaults.$current.withValue(faults) {
                Result { () throws(StoreError) in try database.read(select) }
            }
            if let fault = faults.error { reporter.note(.unreadable(fault)) }
            return try found.get()
        } catch {
            if unsaved == nil || error == .stopped || error.isRefusal { throw error }
            reporter.note(.unreadable(error))
            if !database.isWritable { startCatchUp() }
            return nothing
        }
    }

    /// Runs one transaction on the disk's tables. Waits for other writers, and for those of other
    /// processes as long as the policy says.
    func write<Value: Sendable>(
        _ update: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await database.write(alone: true, update)
        do throws(StoreDatabase.WriteFailure) {
            return try result.get()
        } catch {
            throw error.cause
        }
    }

    /// Does the same for a transaction that frees space. On a full disk, room is made for it first.
    func freeing<Value: Sendable>(
        _ update: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do throws(StoreError) {
            return try await write(update)
        } catch {
            guard case .diskFull = error else { throw error }
            await threads.run { [database] in database.makeRoom() }
            return try await write(update)
        }
    }

    /// Does the same for each of many keys, as many of them in one transaction as the disk takes.
    /// Returns the results of the transactions.
    func freeing<Key: Sendable, Value: Sendable>(
        _ keys: [Key], _ update: @escaping @Sendable (Database, [Key]) throws -> Value
    ) async throws(StoreError) -> [Value] {
        if keys.isEmpty { return [] }
        do throws(StoreError) {
            return [try await freeing { try update($0, keys) }]
        } catch {
            guard case .diskFull = error, keys.count > 1 else { throw error }
            let half = keys.count / 2
            return try await freeing(Array(keys[..<half]), update)
                + freeing(Array(keys[half...]), update)
        }
    }

    /// Reopens the database if its file was removed or replaced since it was opened.
    func openAnewIfRemoved() async {
        await threads.run { [database] in _ = database.openAnewIfRemoved() }
    }

    /// Keeps space for transactions that free space, if the disk has some.
    func takeReserve() async {
        await threads.run { [database] in database.takeReserve() }
    }

    /// Writes rows, or keeps them in memory until the disk takes them.
    func keep(_ change: IndexChange) async throws(StoreError) {
        let save: @Sendable (Database) throws -> Void = { try change.apply(to: $0) }
        guard let unsaved else {
            if case .failure(let failure) = await database.write(save) { throw failure.cause }
            return
        }
        if unsaved.isEmpty {
            // A write queued behind one that waits for a lock must not wait as long again.
            let result = await database.write(unless: { !unsaved.isEmpty }, save)
            guard case .failure(let failure) = result else { return }
            if failure.cause == .stopped || failure.cause.isRefusal { throw failure.cause }
            reporter.note(.behind(failure.cause))
            if let damaged = failure.damaged {
                await threads.run { [database] in database.replaceDamaged(damaged) }
            }
        }
        let isWhole = await threads.run { unsaved.add(change) }
        if !isWhole { reporter.note(.dropped) }
        startCatchUp()
    }

    private func startCatchUp() {
        catchUp.start { [weak self] in await self?.saveWaiting() ?? true }
    }

    /// Writes what is in memory to the disk. Returns whether nothing is left.
    private func saveWaiting() async -> Bool {
        guard let unsaved else { return true }
        let isOpen = await threads.run { [database] in database.reopen() }
        guard isOpen else { return false }
        if !unsaved.isEmpty {
            let saved = await database.write(alone: true) { try Self.save(unsaved, to: $0) }
            if case .failure(let failure) = saved {
                if failure.cause == .stopped { return true }
                reporter.note(.behind(failure.cause))
                if let damaged = failure.damaged {
                    await threads.run { [database] in database.replaceDamaged(damaged) }
                }
                return false
            }
        }
        reporter.note(.caughtUp)
        return unsaved.isEmpty
    }

    /// Commits before the rows are removed from memory.
    private static func save(_ unsaved: UnsavedRows, to disk: Database) throws {
        try unsaved.drain { rows in
            try rows.applyLeniently(to: disk)
            try disk.commit()
        }
    }

    /// Returns what SQLite finds wrong with the file.
    func complaints() async throws(StoreError) -> [String] {
        try await threads.run { [database] () throws(StoreError) in try database.complaints() }
    }

    /// Empties the index, even if it is damaged. Other processes see it empty from then on.
    func erase() async throws(StoreError) {
        try await threads.run { [database] () throws(StoreError) in try database.erase() }
    }

    /// Encodes a list as JSON, because SQLite takes it as one value.
    static func list(_ items: [String]) throws(StoreError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(items), as: UTF8.self)
        } catch {
            throw .index(reason: "a list of items can't be written: \(error)")
        }
    }
}

/// What the index's files looked like at one moment. While they look the same, no process has
/// changed a row.
package struct IndexMark: Sendable, Equatable {
    private let file: FileStamp?
    private let log: FileStamp?

    fileprivate init?(_ layout: StoreLayout, at now: Int) {
        file = Self.stamp(layout.database)
        log = Self.stamp(layout.database + "-wal")
        // A change in the same tick of the file system's clock wouldn't show.
        for stamp in [file, log] { if stamp?.isSettled(at: now) == false { return nil } }
    }

    private static func stamp(_ path: String) -> FileStamp? {
        guard let status = Errno.optional({ () throws(Errno) in try fileStatus(path) }) else {
            return nil
        }
        return status.map(FileStamp.init)
    }
}

extension Index {
    /// What the index's files look like now; nil if a change from now on might not show. Costs two
    /// `lstat`. Any thread.
    package var mark: IndexMark? { mark(at: FileStamp.now()) }

    /// - Parameter now: nanoseconds since 1970 of the file systems' clock.
    package func mark(at now: Int) -> IndexMark? {
        // Rows in memory are in no file.
        if let unsaved, !unsaved.isEmpty { return nil }
        return IndexMark(layout, at: now)
    }

    /// The version of the SQLite that is loaded, such as 3.40.1, or why it can't be asked.
    package static var libraryVersion: String {
        do {
            return try DatabaseQueue().read { database in
                try String.fetchOne(database, sql: "SELECT sqlite_version()") ?? "unknown"
            }
        } catch {
            return "\(error)"
        }
    }
}
