import DequeModule
import GRDB
import Synchronization
import Threads

/// Commits the writes of many callers together. Writes that arrive while a transaction runs are
/// committed in the next one. A write that fails is undone alone. Any thread.
final class WriteQueue: Sendable {
    /// One caller's write.
    struct Job: Sendable {
        /// Throws if the write is not wanted any more.
        let check: @Sendable () throws -> Void
        /// Writes, and returns the function that tells the caller. May be called again after its
        /// writes were undone.
        let write: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
        /// Whether it needs a transaction of its own, for example because it is large.
        let isAlone: Bool
    }

    private struct State {
        var jobs: Deque<Job> = []
        /// Whether a transaction runs or is about to.
        var isRunning = false
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: of writes in one transaction.
    init(limit: Int = StorePolicy().writesPerTransaction) {
        assert(limit > 0, "no write fits into a transaction")
        self.limit = limit
    }

    deinit { assert(state.withLock { $0.jobs.isEmpty }, "a write is lost") }

    /// Adds a write. The thread that writes reports its result: the calling thread if that may block and
    /// no transaction runs, otherwise the pool's.
    func add(_ job: Job, to pool: DatabasePool) {
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        guard ThreadPool.prepareToBlock() else { return startTransaction(pool) }
        let isDone = pool.writeWithoutTransaction { transact($0) }
        if !isDone { startTransaction(pool) }
    }

    private func startTransaction(_ pool: DatabasePool) {
        pool.asyncWriteWithoutTransaction { [self] database in
            // Queued again, so that other users of the connection get their turn.
            if !transact(database) { startTransaction(pool) }
        }
    }

    /// Commits the next writes. Returns whether none is left.
    private func transact(_ database: Database) -> Bool {
        assert(state.withLock { $0.isRunning }, "a transaction runs that was not begun")
        Self.run(next(), database)
        assert(!database.isInsideTransaction, "a transaction is left open")
        return state.withLock { state in
            assert(state.isRunning, "two transactions run at once")
            state.isRunning = !state.jobs.isEmpty
            return state.jobs.isEmpty
        }
    }

    private func next() -> [Job] {
        state.withLock { state in
            var jobs: [Job] = []
            while jobs.count < limit, let job = state.jobs.first {
                if job.isAlone, !jobs.isEmpty { break }
                jobs.append(job)
                state.jobs.removeFirst()
                if job.isAlone { break }
            }
            assert(jobs.count <= limit, "a transaction has too many writes")
            assert(
                !jobs.contains(where: \.isAlone) || jobs.count == 1,
                "a write that needs a transaction has company")
            return jobs
        }
    }

    private static func run(_ jobs: [Job], _ database: Database) {
        var wanted: [Job] = []
        for job in jobs {
            do {
                try job.check()
                wanted.append(job)
            } catch {
                job.fail(error)
            }
        }
        if wanted.count == 1 || !runTogether(wanted, database) {
            for job in wanted { runAlone(job, database) }
        }
    }

    /// Returns false if nothing was written and no caller was told, because the transaction failed
    /// as a whole.
    private static func runTogether(_ jobs: [Job], _ database: Database) -> Bool {
        do {
            try database.beginTransaction(.immediate)
        } catch {
            // Another process has the lock. Each caller has waited for it once.
            for job in jobs { job.fail(error) }
            return true
        }
        var endings: [@Sendable () -> Void] = []
        do {
            for job in jobs {
                try run("SAVEPOINT job", database)
                do {
                    endings.append(try job.write(database))
                } catch {
                    // SQLite may have rolled back by itself, for example on a full disk.
                    guard database.isInsideTransaction else { throw error }
                    try run("ROLLBACK TO job", database)
                    endings.append { job.fail(error) }
                }
                try run("RELEASE job", database)
            }
            try database.commit()
        } catch {
            rollBack(database)
            return false
        }
        for end in endings { end() }
        return true
    }

    private static func run(_ sql: String, _ database: Database) throws {
        try database.cachedStatement(sql: sql).execute()
    }

    private static func runAlone(_ job: Job, _ database: Database) {
        do {
            try database.beginTransaction(.immediate)
            let end: @Sendable () -> Void
            do {
                end = try job.write(database)
                // The job may have committed by itself.
                if database.isInsideTransaction { try database.commit() }
            } catch {
                rollBack(database)
                throw error
            }
            end()
        } catch {
            job.fail(error)
        }
    }

    private static func rollBack(_ database: Database) {
        guard database.isInsideTransaction else { return }
        do {
            try database.rollback()
        } catch {
            // The cause of the failure is reported; the next transaction fails with this one.
        }
    }
}
