import GRDB
import Glibc
import Synchronization

/// The file of user data: read only where it can't be written, and set aside with all that can be
/// read of it saved once it turns out to be damaged. Any thread; calls suspend the caller.
final class UserDatabase: Sendable {
    private struct State {
        /// Without a file that can be read, empty tables in memory.
        var queue: DatabaseQueue?
        /// Why it can't be written.
        var trouble: StoreError?
        /// Counts openings, so that one damage is mended once.
        var number = 0
        var isClosed = false
    }

    private let layout: StoreLayout
    private let policy: StorePolicy
    private let migrator: DatabaseMigrator
    private let reporter: StoreReporter
    private let threads = IOThreads(count: 1)
    private let state = Mutex(State())

    init(
        _ layout: StoreLayout, _ policy: StorePolicy, _ migrator: DatabaseMigrator
    ) throws(StoreError) {
        self.layout = layout
        self.policy = policy
        self.migrator = migrator
        reporter = StoreReporter(policy)
        do throws(StoreError) {
            try open()
        } catch {
            guard policy.goesOn else { throw error }
            let queue = openToRead()
            state.withLock { state in
                state.queue = queue
                state.trouble = error
            }
            reporter.note(.behind(error))
        }
    }

    var status: StoreStatus { reporter.status }

    /// Idempotent; later calls throw.
    func close() throws(StoreError) {
        let queue = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed ? nil : state.queue
        }
        do {
            try queue?.close()
        } catch {
            throw StoreError(index: error, layout)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do throws(StoreError) {
            return try await run { queue in try queue.read(body) }
        } catch {
            guard policy.goesOn, error != .stopped else { throw error }
            // A page of a catalog is not to fail because nobody can say what is a favorite.
            reporter.note(.unreadable(error))
            return try await threads.run { [self] () throws(StoreError) in
                do {
                    return try emptyTables().read(body)
                } catch {
                    throw StoreError(index: error, layout)
                }
            }
        }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await threads.run { [self] () throws(StoreError) in
            guard state.withLock({ $0.trouble }) != nil else { return }
            // It may be writable again.
            try open()
        }
        do throws(StoreError) {
            return try await run { queue in try queue.write(body) }
        } catch {
            if error != .stopped { reporter.note(.unwritten(error)) }
            throw error
        }
    }

    /// SQLite's own complaints; with `repair` a file that has some is set aside, and what can be read
    /// of it saved.
    func verify(repair: Bool) async throws(StoreError) -> [String] {
        let complaints = try await threads.run { [self] () throws(StoreError) in
            try mapped { queue in
                do {
                    let lines = try queue.unsafeRead { database in
                        try String.fetchAll(database, sql: "PRAGMA integrity_check(100)")
                    }
                    return lines == ["ok"] ? [] : lines
                } catch let error as DatabaseError where error.isDamage {
                    return [error.message ?? "\(error.resultCode)"]
                }
            }
        }
        if repair, !complaints.isEmpty {
            try await threads.run { [self] () throws(StoreError) in
                try mend(state.withLock { $0.number })
            }
        }
        return complaints
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseQueue) throws -> Value
    ) async throws(StoreError) -> Value {
        try await threads.run { [self] () throws(StoreError) in
            let number = state.withLock { $0.number }
            do throws(DamagedUserData) {
                return try checked(body)
            } catch {
                guard error.isDamage else { throw error.cause }
                try mend(number)
            }
            return try mapped(body)
        }
    }

    private struct DamagedUserData: Error {
        var cause: StoreError
        var isDamage: Bool
    }

    private func checked<Value>(
        _ body: (DatabaseQueue) throws -> Value
    ) throws(DamagedUserData) -> Value {
        let known = state.withLock { $0 }
        guard !known.isClosed, let queue = known.queue else {
            throw DamagedUserData(cause: .stopped, isDamage: false)
        }
        do {
            return try body(queue)
        } catch {
            let isDamage = (error as? DatabaseError)?.isDamage ?? false
            throw DamagedUserData(cause: StoreError(index: error, layout), isDamage: isDamage)
        }
    }

    private func mapped<Value>(
        _ body: (DatabaseQueue) throws -> Value
    ) throws(StoreError) -> Value {
        do throws(DamagedUserData) {
            return try checked(body)
        } catch {
            throw error.cause
        }
    }

    /// Sets the file aside and opens a new one; once for each damage, because calls run one by one.
    private func mend(_ number: Int) throws(StoreError) {
        let broken = state.withLock { $0.number == number ? $0.queue : nil }
        guard let broken else { return }
        do {
            try broken.close()
        } catch {
            // A damaged file can't be checkpointed; the descriptor goes with the queue.
        }
        try open(isDamaged: true)
    }

    /// Opens the file, or creates it; one that is damaged is set aside first.
    private func open(isDamaged: Bool = false) throws(StoreError) {
        do throws(Errno) {
            try layout.makeTree()
        } catch {
            if error.isFullDisk { throw .diskFull(path: layout.root) }
            throw .unusable(path: layout.root, reason: error.reason)
        }
        let (queue, aside) = try Index.withOpeningLock(layout) {
            () throws(StoreError) -> (DatabaseQueue, String?) in
            let path = layout.userData
            do {
                if !isDamaged {
                    do {
                        return (try connect(), nil)
                    } catch let error as DatabaseError where error.isDamage {
                        // Begun anew below.
                    }
                }
                let aside = try SetAside(layout: layout).take(path)
                return (try connect(), aside)
            } catch {
                throw StoreError(index: error, layout)
            }
        }
        if let aside {
            do {
                try Salvage(path: aside).copy(into: queue)
            } catch {
                // Too damaged to be read; the file is kept for who wants to look at it.
            }
            reporter.note(.setAside(path: aside))
        }
        state.withLock { state in
            state.queue = queue
            state.trouble = nil
            state.number += 1
        }
        reporter.note(.caughtUp)
    }

    private func connect() throws -> DatabaseQueue {
        try PrivateDatabase.prepare(layout.userData, layout)
        var configuration = configuration
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: layout.userData, configuration: configuration)
        try migrator.migrate(queue)
        return queue
    }

    private func openToRead() -> DatabaseQueue? {
        var configuration = configuration
        configuration.readonly = true
        for address in SQLiteAddress.readOnly(layout.userData) {
            do {
                let queue = try DatabaseQueue(path: address, configuration: configuration)
                let applied = try queue.unsafeRead(migrator.appliedIdentifiers)
                if applied == Set(migrator.migrations) { return queue }
            } catch {
                // The next way.
            }
        }
        do {
            return try emptyTables()
        } catch {
            // Without memory for empty tables every call says why the file can't be used.
            return nil
        }
    }

    private func emptyTables() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        return queue
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "keepsakes"
        configuration.busyMode = .timeout(policy.lockPatience)
        return configuration
    }
}
