import GRDB
import Glibc
import Synchronization

/// The index's file and its connections. A file that isn't writable is opened read-only and
/// reopened later; a damaged one is moved aside and replaced. All calls except ``write(unless:_:)``
/// block. Any thread.
final class IndexDatabase: Sendable {
    fileprivate struct State {
        /// nil if the file can't even be read.
        var pool: DatabasePool?
        /// The writes of the pool.
        var writes = WriteQueue()
        var isWritable = false
        /// Why it isn't writable.
        var trouble: StoreError?
        /// Counts openings, so that one damage is repaired once, however many threads find it.
        var number = 0
        var inode: ino_t?
        var isClosed = false
    }

    private let layout: StoreLayout
    private let policy: StorePolicy
    private let reporter: StoreReporter
    private let state = Mutex(State())
    /// Held while the file is opened or moved aside.
    private let opening = Mutex(())
    private let threads: IOThreads
    /// Whether the file was damaged when it was first opened.
    let wasRebuilt: Bool

    init(
        _ layout: StoreLayout, _ policy: StorePolicy, _ reporter: StoreReporter,
        _ threads: IOThreads
    ) throws(StoreError) {
        self.layout = layout
        self.threads = threads
        self.policy = policy
        self.reporter = reporter
        do throws(StoreError) {
            let opened = try Self.open(layout, policy)
            wasRebuilt = opened.setAside != nil
            take(opened)
            if opened.setAside == nil {
                salvage(SetAside(layout: layout).unsalvaged(), opened.pool)
            }
        } catch {
            if case .unknownLayout = error { throw error }
            guard policy.worksFromMemory else { throw error }
            wasRebuilt = false
            let pool = IndexSchema.openToRead(layout, policy)
            state.withLock { state in
                state.pool = pool
                state.trouble = error
            }
            reporter.note(.behind(error))
        }
    }

    /// Whether the file is open for writing. If not, ``reopen()`` tries again.
    var isWritable: Bool { state.withLock { $0.isWritable } }

    /// Runs SELECTs. If the policy allows to work from memory, a damaged file is replaced and they
    /// run again.
    func read<Value>(_ select: (Database) throws -> Value) throws(StoreError) -> Value {
        for isLast in [false, true] {
            let access = state.withLock { $0 }
            guard let pool = access.pool else { throw access.failure }
            do {
                return try pool.unsafeRead(select)
            } catch {
                if state.withLock({ $0.isClosed }) { throw .stopped }
                if !isLast, policy.worksFromMemory, Self.isDamage(error) {
                    replaceDamaged(access.number)
                    continue
                }
                throw StoreError(index: error, layout)
            }
        }
        throw .stopped
    }

    /// Writes in one transaction, together with other callers or `alone`. Fails if `isLate` returns
    /// true at its turn. The caller repairs a damaged file.
    ///
    /// - Parameter update: is called again if its changes were undone with those of other callers.
    func write<Value: Sendable>(
        unless isLate: @escaping @Sendable () -> Bool = { false }, alone: Bool = false,
        _ update: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, WriteFailure> {
        let access = state.withLock { $0 }
        guard let pool = access.pool, access.isWritable else {
            return .failure(WriteFailure(cause: access.failure, damaged: nil))
        }
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            let job = WriteQueue.Job(
                check: {
                    if isLate() { throw StoreError.index(reason: "it can't be written now") }
                },
                write: { database in
                    let value = try update(database)
                    return { continuation.resume(returning: .success(value)) }
                },
                fail: { continuation.resume(returning: .failure($0)) }, isAlone: alone)
            access.writes.add(job, to: pool)
        }
        switch result {
        case .success(let value): return .success(value)
        case .failure(let error):
            if state.withLock({ $0.isClosed }) {
                return .failure(WriteFailure(cause: .stopped, damaged: nil))
            }
            return .failure(
                WriteFailure(
                    cause: StoreError(index: error, layout),
                    damaged: Self.isDamage(error) ? access.number : nil))
        }
    }

    struct WriteFailure: Error {
        var cause: StoreError
        /// The opening whose file was damaged.
        var damaged: Int?
    }

    /// Moves the damaged file aside and creates a new one, unless that is done already. Reads find
    /// nothing meanwhile.
    func replaceDamaged(_ number: Int) {
        opening.withLock { _ in
            let broken = state.withLock { state -> State? in
                guard state.number == number, state.pool != nil, !state.isClosed else { return nil }
                defer {
                    state.pool = nil
                    state.isWritable = false
                    state.trouble = .index(reason: "it is damaged and is being replaced")
                }
                return state
            }
            guard let broken else { return }
            do {
                try broken.pool?.close()
            } catch {
                // A damaged file can't be checkpointed. Its descriptors are closed with the pool.
            }
            // A read-only file stays. Whether it is damaged or only half checkpointed shows once it
            // is writable.
            guard broken.isWritable else { return }
            openAgain(replacing: broken.inode)
        }
    }

    /// Opens the file for writing if that failed before. Returns whether it is open now.
    func reopen() -> Bool {
        opening.withLock { _ in
            if state.withLock({ $0.isWritable || $0.isClosed }) { return true }
            openAgain(replacing: nil)
            return state.withLock { $0.isWritable }
        }
    }

    private func openAgain(replacing inode: ino_t?) {
        do throws(StoreError) {
            let opened = try Self.open(layout, policy, replacing: inode)
            take(opened)
        } catch {
            state.withLock { $0.trouble = error }
            reporter.note(.behind(error))
        }
    }

    private func take(_ opened: Opened) {
        let old = state.withLock { state in
            defer { state.take(opened) }
            return state.pool
        }
        // Running readers of a read-only pool finish on it.
        withExtendedLifetime(old) {}
        guard let path = opened.setAside else { return }
        reporter.note(.setAside(path: path))
        salvage(path, opened.pool)
    }

    /// Copies the rows of a file that was moved aside, by whichever process, and ends that if its copy did not
    /// end. One process does that at a time.
    private func salvage(_ path: String?, _ pool: DatabasePool) {
        guard let path, policy.worksFromMemory else { return }
        // Unstructured, because no caller waits for it. Rows that are lost are made again on
        // request.
        let isClosed = { @Sendable [weak self] in self?.state.withLock { $0.isClosed } ?? true }
        Task { [threads, reporter, layout] in
            await threads.run {
                let file = SharedFile.existing(path)
                guard let file, file.lock(waiting: false) != false else { return }
                defer { file.unlock() }
                let aside = SetAside(layout: layout)
                do {
                    try IndexSalvage(path: path).copy(into: pool)
                    aside.noteSalvaged(path)
                    reporter.note(.salvaged)
                } catch {
                    // The file is too damaged to be read, or the index was closed.
                    if !isClosed() { aside.noteSalvaged(path) }
                }
            }
        }
    }

    /// Empties the index, even if it is damaged. Other processes see it empty from then on.
    func erase() throws(StoreError) {
        makeRoom()
        let access = state.withLock { $0 }
        guard let pool = access.pool, access.isWritable else { throw access.failure }
        do {
            // An earlier index that was copied is not copied again.
            let isImported = (try? pool.unsafeRead { try ImportProgress.isDone($0) }) ?? false
            try pool.erase()
            try IndexSchema.migrator.migrate(pool)
            if isImported { try pool.write { try ImportProgress.end($0) } }
        } catch {
            throw StoreError(index: error, layout)
        }
        takeReserve()
    }

    /// Makes room for a transaction that frees space: gives up the reserve and cuts the log, whose
    /// pages are copied into the database as far as it takes them.
    func makeRoom() {
        IndexReserve(layout: layout).release()
        cutLog()
    }

    /// Keeps space for the next such transaction, if the disk has some again.
    func takeReserve() {
        cutLog()
        if isWritable { IndexReserve(layout: layout).take() }
    }

    private func cutLog() {
        let access = state.withLock { $0 }
        guard let pool = access.pool, access.isWritable else { return }
        do {
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        } catch {
            // Another process reads the log, or the disk is still full.
        }
    }

    /// Calls `finish` with the writing connection, checkpoints and closes. Idempotent. Waits for
    /// running calls.
    func close(_ finish: (Database) throws -> Void) throws(StoreError) {
        let access = state.withLock { state in
            defer { state.isClosed = true }
            return state
        }
        guard !access.isClosed, let pool = access.pool else { return }
        do {
            if access.isWritable {
                do {
                    try pool.writeWithoutTransaction { database in
                        try finish(database)
                        _ = try database.checkpoint(.truncate)
                    }
                } catch let error as DatabaseError where policy.worksFromMemory || error.isBusy {
                    // Another process uses the file, and the last one to close checkpoints; or
                    // writes fail, which was reported.
                }
            }
            try pool.close()
        } catch {
            throw StoreError(index: error, layout)
        }
    }

    private static func isDamage(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.isDamage ?? false
    }

    fileprivate struct Opened {
        var pool: DatabasePool
        var writes: WriteQueue
        var inode: ino_t?
        /// The path of the damaged file that it replaces.
        var setAside: String?
    }

    /// Opens the file, in one process at a time. A file with the inode `damaged` is moved aside
    /// first.
    private static func open(
        _ layout: StoreLayout, _ policy: StorePolicy, replacing damaged: ino_t? = nil
    ) throws(StoreError) -> Opened {
        do throws(Errno) {
            try layout.makeTree()
        } catch {
            if error.isFullDisk { throw .diskFull(path: layout.root) }
            throw .unusable(path: layout.root, reason: error.reason)
        }
        return try layout.withOpeningLock { () throws(StoreError) in
            var aside: String?
            if let damaged {
                aside = try SetAside(layout: layout).take(layout.database, inode: damaged)
            }
            let pool: DatabasePool
            do {
                do {
                    pool = try IndexSchema.open(layout, policy)
                } catch let error as DatabaseError where error.isDamage {
                    aside = try SetAside(layout: layout).take(layout.database)
                    pool = try IndexSchema.open(layout, policy)
                } catch is DatabaseError where IndexReserve(layout: layout).release() {
                    // SQLite needs a page of a full disk for its shared memory, too.
                    pool = try IndexSchema.open(layout, policy)
                }
            } catch {
                throw StoreError(index: error, layout)
            }
            IndexReserve(layout: layout).take()
            let status = try layout.trying("look at", layout.database) { () throws(Errno) in
                try fileStatus(layout.database)
            }
            return Opened(
                pool: pool, writes: WriteQueue(limit: policy.writesPerTransaction),
                inode: status?.st_ino, setAside: aside)
        }
    }
}

extension IndexDatabase.State {
    fileprivate mutating func take(_ opened: IndexDatabase.Opened) {
        pool = opened.pool
        writes = opened.writes
        inode = opened.inode
        isWritable = true
        trouble = nil
        number += 1
    }

    /// Why the connection is missing.
    fileprivate var failure: StoreError {
        isClosed ? .stopped : trouble ?? .index(reason: "it is not open")
    }
}

extension Index {
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
