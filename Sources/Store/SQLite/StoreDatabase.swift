import GRDB
import Glibc
import Synchronization
import Threads

/// A database of the store and its connections. A file that isn't writable is opened read-only and
/// reopened later; a damaged one is moved aside, replaced, and its readable rows are copied; one whose
/// file was removed is reopened. All calls except ``write(unless:alone:_:)`` block. Any thread.
final class StoreDatabase: Sendable {
    struct State {
        /// nil if the file can't even be read.
        var pool: DatabasePool?
        /// The writes of the pool.
        var writes = WriteQueue()
        var isWritable = false
        /// Why it isn't writable.
        var trouble: StoreError?
        /// Counts openings, so that one damage is repaired once, however many threads find it.
        var number = 0
        var files: DatabaseFiles?
        var isClosed = false

        mutating func take(_ opened: DatabaseOpening.Opened) {
            pool = opened.pool
            writes = opened.writes
            files = opened.files
            isWritable = true
            trouble = nil
            number += 1
        }

        /// Why the connection is missing.
        var failure: StoreError {
            isClosed ? .stopped : trouble ?? .index(reason: "it is not open")
        }
    }

    private let opening: DatabaseOpening
    private let reporter: StoreReporter
    private let threads: ThreadPool
    private let state = Mutex(State())
    /// Held while the file is opened or moved aside.
    private let isOpening = Mutex(())
    /// Whether the file was damaged when it was first opened.
    let wasRebuilt: Bool

    private var layout: StoreLayout { opening.layout }
    private var policy: StorePolicy { opening.policy }
    private var form: DatabaseForm { opening.form }

    /// - Parameter threads: copy the rows of a damaged file in the background.
    init(
        _ form: DatabaseForm, _ layout: StoreLayout, _ policy: StorePolicy,
        _ reporter: StoreReporter, _ threads: ThreadPool
    ) throws(StoreError) {
        opening = DatabaseOpening(form: form, layout: layout, policy: policy)
        self.threads = threads
        self.reporter = reporter
        do throws(StoreError) {
            let opened = try opening.open()
            wasRebuilt = opened.setAside != nil
            take(opened)
        } catch {
            if case .unknownLayout = error { throw error }
            guard policy.worksFromMemory else { throw error }
            wasRebuilt = false
            let pool = opening.openToRead()
            state.withLock { state in
                state.pool = pool
                state.trouble = error
            }
            reporter.note(.behind(error))
        }
    }

    /// Whether the file is open for writing. If not, ``reopen()`` tries again.
    var isWritable: Bool { state.withLock { $0.isWritable } }

    /// Whether damage is mended when it is found. Commands leave an index to `cache verify --repair`.
    private var repairsItself: Bool { policy.worksFromMemory || !form.isRebuildable }

    /// Runs SELECTs. A damaged file is replaced, and they run again.
    func read<Value>(_ select: (Database) throws -> Value) throws(StoreError) -> Value {
        for isLast in [false, true] {
            let access = state.withLock { $0 }
            guard let pool = access.pool else { throw access.failure }
            do {
                return try pool.unsafeRead(select)
            } catch {
                if state.withLock({ $0.isClosed }) { throw .stopped }
                if !isLast, repairsItself, Self.isDamage(error) {
                    replaceDamaged(access.number)
                    continue
                }
                throw StoreError(index: error, layout, form.path)
            }
        }
        throw .stopped
    }

    /// Writes in one transaction, together with other callers or `alone`. Fails if `isLate` returns
    /// true at its turn. The caller repairs a damaged file.
    ///
    /// - Parameter update: is called again if its changes were undone with those of other callers, or went into
    ///   a file that was removed meanwhile.
    func write<Value: Sendable>(
        unless isLate: @escaping @Sendable () -> Bool = { false }, alone: Bool = false,
        _ update: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, WriteFailure> {
        if !isInPlace { await threads.run { [self] in _ = openAnewIfRemoved() } }
        let result = await writeOnce(unless: isLate, alone: alone, update)
        guard case .success = result, !isInPlace else { return result }
        await threads.run { [self] in _ = openAnewIfRemoved() }
        return await writeOnce(unless: isLate, alone: alone, update)
    }

    private func writeOnce<Value: Sendable>(
        unless isLate: @escaping @Sendable () -> Bool, alone: Bool,
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
        return result.mapError { failure($0, access) }
    }

    /// Writes in one transaction on the calling thread.
    ///
    /// - Parameter update: is called again if its changes went into a file that was removed meanwhile.
    func writeNow<Value>(_ update: (Database) throws -> Value) -> Result<Value, WriteFailure> {
        openAnewIfRemoved()
        let result = writeNowOnce(update)
        guard case .success = result, openAnewIfRemoved() else { return result }
        return writeNowOnce(update)
    }

    private func writeNowOnce<Value>(
        _ update: (Database) throws -> Value
    ) -> Result<Value, WriteFailure> {
        let access = state.withLock { $0 }
        guard let pool = access.pool, access.isWritable else {
            return .failure(WriteFailure(cause: access.failure, damaged: nil))
        }
        do {
            return .success(try pool.write(update))
        } catch {
            return .failure(failure(error, access))
        }
    }

    private func failure(_ error: any Error, _ access: State) -> WriteFailure {
        if state.withLock({ $0.isClosed }) { return WriteFailure(cause: .stopped, damaged: nil) }
        return WriteFailure(
            cause: StoreError(index: error, layout, form.path),
            damaged: Self.isDamage(error) ? access.number : nil)
    }

    struct WriteFailure: Error {
        var cause: StoreError
        /// The opening whose file was damaged.
        var damaged: Int?
    }

    /// Moves the damaged file aside and creates a new one, unless that is done already. Reads find
    /// nothing meanwhile.
    ///
    /// - Parameter number: of the opening whose file is damaged; nil for the one in force.
    func replaceDamaged(_ number: Int? = nil) {
        isOpening.withLock { _ in
            let broken = state.withLock { state -> State? in
                guard number == nil || state.number == number, state.pool != nil, !state.isClosed
                else { return nil }
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
            openAgain(replacing: broken.files?.inode)
        }
    }

    private var isInPlace: Bool {
        let access = state.withLock { $0 }
        return !access.isWritable || access.files?.areInPlace != false
    }

    /// Reopens the database if its file was removed or replaced since it was opened. Returns whether it was.
    @discardableResult
    func openAnewIfRemoved() -> Bool {
        if isInPlace { return false }
        return isOpening.withLock { _ in
            // Another thread may have done it.
            if isInPlace { return true }
            let removed = state.withLock { state -> State? in
                guard state.pool != nil, !state.isClosed else { return nil }
                defer {
                    state.pool = nil
                    state.isWritable = false
                    state.trouble = .index(reason: "its file was removed and is being made again")
                }
                return state
            }
            guard let removed, let pool = removed.pool else { return false }
            leave(pool)
            openAgain(replacing: nil)
            reporter.note(.removed(path: form.path))
            return true
        }
    }

    /// Closes a pool whose file has lost its name. SQLite removes the log of the name then, so that the pool of
    /// a name that has another file by now stays open for good.
    private func leave(_ pool: DatabasePool) {
        guard access(form.path, F_OK) != 0, errno == ENOENT else {
            _ = Unmanaged.passRetained(pool)
            return
        }
        do {
            try pool.close()
        } catch {
            // Its descriptors are closed with the last reader.
        }
    }

    /// Opens the file for writing if that failed before. Returns whether it is open now.
    @discardableResult
    func reopen() -> Bool {
        isOpening.withLock { _ in
            if state.withLock({ $0.isWritable || $0.isClosed }) { return true }
            openAgain(replacing: nil)
            return state.withLock { $0.isWritable }
        }
    }

    private func openAgain(replacing inode: ino_t?) {
        do throws(StoreError) {
            take(try opening.open(replacing: inode))
        } catch {
            state.withLock { $0.trouble = error }
            reporter.note(.behind(error))
        }
    }

    private func take(_ opened: DatabaseOpening.Opened) {
        if let path = opened.setAside { reporter.note(.setAside(path: path)) }
        if opened.hasMoved, let path = layout.earlier.first?.path {
            reporter.note(.moved(path: path))
        }
        let aside = opened.setAside ?? SetAside(layout: layout).unsalvaged(form.path)
        // What can't be made again is complete before it is read.
        if let aside, !form.isRebuildable { salvage(aside, into: opened.pool) }
        let old = state.withLock { state in
            defer { state.take(opened) }
            return state.pool
        }
        // Running readers of a read-only pool finish on it.
        withExtendedLifetime(old) {}
        guard let aside, form.isRebuildable, policy.worksFromMemory else { return }
        // Unstructured, because no caller waits for it. Rows that are lost are made again on
        // request.
        Task { [threads, weak self] in
            await threads.run { [weak self] in self?.salvage(aside, into: opened.pool) }
        }
    }

    /// Copies the rows of a file that was moved aside, by whichever process, and ends that if its
    /// copy did not end. One process does that at a time.
    private func salvage(_ path: String, into pool: DatabasePool) {
        let file = SharedFile.existing(path)
        guard let file, file.lock(waiting: false) != false else { return }
        defer { file.unlock() }
        let aside = SetAside(layout: layout)
        do {
            try form.salvage(path, pool)
            aside.noteSalvaged(path)
            reporter.note(.salvaged)
        } catch {
            // The file is too damaged to be read, or the database was closed.
            if !state.withLock({ $0.isClosed }) { aside.noteSalvaged(path) }
        }
    }

    /// Returns what SQLite finds wrong with the file.
    func complaints() throws(StoreError) -> [String] {
        let access = state.withLock { $0 }
        guard let pool = access.pool else { throw access.failure }
        do {
            let lines = try pool.unsafeRead {
                try String.fetchAll($0, sql: "PRAGMA integrity_check(100)")
            }
            return lines == ["ok"] ? [] : lines
        } catch let error as DatabaseError where error.isDamage {
            return [error.message ?? "\(error.resultCode)"]
        } catch {
            throw StoreError(index: error, layout, form.path)
        }
    }

    /// Empties the database, even if it is damaged. Other processes see it empty from then on.
    func erase() throws(StoreError) {
        makeRoom()
        let access = state.withLock { $0 }
        guard let pool = access.pool, access.isWritable else { throw access.failure }
        do {
            try pool.erase()
            try form.migrator.migrate(pool)
        } catch {
            throw StoreError(index: error, layout, form.path)
        }
        takeReserve()
    }

    /// Makes room for a transaction that frees space: gives up the reserve and cuts the log, whose
    /// pages are copied into the database as far as it takes them.
    func makeRoom() {
        layout.releaseReserve()
        cutLog()
    }

    /// Keeps space for the next such transaction, if the disk has some again.
    func takeReserve() {
        cutLog()
        if isWritable { layout.takeReserve() }
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
    func close(_ finish: (Database) throws -> Void = { _ in }) throws(StoreError) {
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
            throw StoreError(index: error, layout, form.path)
        }
    }

    private static func isDamage(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.isDamage ?? false
    }
}
