import GRDB
import Glibc
import Synchronization

/// The index's file and the connections to it: read only where it can't be written, opened again later,
/// and set aside once it turns out to be damaged. Blocks, but for ``write(unless:_:)``; any thread.
final class IndexDatabase: Sendable {
    fileprivate struct State {
        /// None where the file can't even be read.
        var pool: DatabasePool?
        var isWritable = false
        /// Why it can't be written.
        var trouble: StoreError?
        /// Counts openings, so that one damage is mended once, however many threads meet it.
        var number = 0
        var inode: ino_t?
        var isClosed = false
    }

    private let layout: StoreLayout
    private let policy: StorePolicy
    private let reporter: StoreReporter
    private let state = Mutex(State())
    /// Held while the file is opened or set aside.
    private let opening = Mutex(())
    private let threads: IOThreads
    /// Whether the file was damaged when it was opened first.
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
        } catch {
            if case .unknownLayout = error { throw error }
            guard policy.goesOn else { throw error }
            wasRebuilt = false
            let pool = IndexSchema.openToRead(layout, policy)
            state.withLock { state in
                state.pool = pool
                state.trouble = error
            }
            reporter.note(.behind(error))
        }
    }

    /// Whether writes may be tried; false until ``reopen()`` succeeds.
    var isWritable: Bool { state.withLock { $0.isWritable } }

    /// Runs SELECTs. Where answers go on without the disk, damage is mended and they run once more.
    func read<Value>(_ select: (Database) throws -> Value) throws(StoreError) -> Value {
        for isLast in [false, true] {
            let access = state.withLock { $0 }
            guard let pool = access.pool else { throw access.failure }
            do {
                return try pool.unsafeRead(select)
            } catch {
                if state.withLock({ $0.isClosed }) { throw .stopped }
                if !isLast, policy.goesOn, Self.isDamage(error) {
                    mend(access.number)
                    continue
                }
                throw StoreError(index: error, layout)
            }
        }
        throw .stopped
    }

    /// Runs one transaction, after those of other callers; gives up at its turn where `isLate` says
    /// so. A damage is the caller's to have mended.
    func write<Value: Sendable>(
        unless isLate: @escaping @Sendable () -> Bool = { false },
        _ update: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, WriteFailure> {
        let access = state.withLock { $0 }
        guard let pool = access.pool, access.isWritable else {
            return .failure(WriteFailure(cause: access.failure, damaged: nil))
        }
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                continuation.resume(
                    returning: Result {
                        if isLate() { throw StoreError.index(reason: "it can't be written now") }
                        try database.beginTransaction(.immediate)
                        do {
                            let value = try update(database)
                            if database.isInsideTransaction { try database.commit() }
                            return value
                        } catch {
                            // SQLite may have rolled back by itself, on a full disk for one.
                            if database.isInsideTransaction { try database.rollback() }
                            throw error
                        }
                    })
            }
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
        /// The opening whose file turned out to be damaged.
        var damaged: Int?
    }

    /// Sets the damaged file aside and begins a new one, unless that is done already. Reads find
    /// nothing meanwhile.
    func mend(_ number: Int) {
        opening.withLock { _ in
            let broken = state.withLock { state -> State? in
                guard state.number == number, state.pool != nil, !state.isClosed else { return nil }
                defer {
                    state.pool = nil
                    state.isWritable = false
                    state.trouble = .index(reason: "it is damaged and made anew")
                }
                return state
            }
            guard let broken else { return }
            do {
                try broken.pool?.close()
            } catch {
                // A damaged file can't be checkpointed; the descriptors go with the pool.
            }
            // A file that can only be read stays: whether it is damaged or only half checkpointed
            // shows once it can be opened.
            guard broken.isWritable else { return }
            openAgain(replacing: broken.inode)
        }
    }

    /// Opens the file for writing where that failed before. Returns whether it is open now.
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
        // One that could only be read; its readers finish on it.
        withExtendedLifetime(old) {}
        guard let path = opened.setAside else { return }
        reporter.note(.setAside(path: path))
        guard policy.goesOn else { return }
        // Unstructured, because nothing waits for it: what isn't saved is made anew when it is asked.
        Task { [threads, reporter] in
            await threads.run {
                do {
                    try Salvage(path: path).copy(into: opened.pool)
                    reporter.note(.salvaged)
                } catch {
                    // Too damaged to be read, or the index was closed.
                }
            }
        }
    }

    /// Makes the index empty, however damaged it is; other processes see it empty from then on.
    func erase() throws(StoreError) {
        let access = state.withLock { $0 }
        guard let pool = access.pool, access.isWritable else { throw access.failure }
        do {
            try pool.erase()
            try IndexSchema.migrator.migrate(pool)
        } catch {
            throw StoreError(index: error, layout)
        }
    }

    /// Calls `finish` with the connection for writing, checkpoints and closes. Idempotent. Waits for
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
                } catch let error as DatabaseError where policy.goesOn || error.isBusy {
                    // Another process reads or writes, and the last one to close checkpoints; or the
                    // disk takes nothing, which was reported.
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
        var inode: ino_t?
        /// Where the damaged file before it is.
        var setAside: String?
    }

    /// One process at a time. The file with that inode is damaged; another one was made meanwhile.
    private static func open(
        _ layout: StoreLayout, _ policy: StorePolicy, replacing damaged: ino_t? = nil
    ) throws(StoreError) -> Opened {
        do throws(Errno) {
            try layout.makeTree()
        } catch {
            if error.isFullDisk { throw .diskFull(path: layout.root) }
            throw .unusable(path: layout.root, reason: error.reason)
        }
        return try Index.withOpeningLock(layout) { () throws(StoreError) in
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
                }
            } catch {
                throw StoreError(index: error, layout)
            }
            let status = try layout.trying("look at", layout.database) { () throws(Errno) in
                try fileStatus(layout.database)
            }
            return Opened(pool: pool, inode: status?.st_ino, setAside: aside)
        }
    }
}

extension IndexDatabase.State {
    fileprivate mutating func take(_ opened: IndexDatabase.Opened) {
        pool = opened.pool
        inode = opened.inode
        isWritable = true
        trouble = nil
        number += 1
    }

    /// Why there is no connection for what was asked.
    fileprivate var failure: StoreError {
        isClosed ? .stopped : trouble ?? .index(reason: "it is not open")
    }
}
