import GRDB
import Glibc
import Synchronization

/// The file of user data. One that isn't writable is opened read-only. A damaged one is moved
/// aside, and its readable rows are copied into a new one. Any thread; calls suspend the caller.
final class UserDatabase: Sendable {
    private struct State {
        /// Empty tables in memory if the file can't be read.
        var queue: DatabaseQueue?
        /// Why it isn't writable.
        var trouble: StoreError?
        /// Counts openings, so that one damage is repaired once.
        var number = 0
        var isClosed = false
    }

    private let layout: StoreLayout
    private let policy: StorePolicy
    private let migrator: DatabaseMigrator
    private let reporter: StoreReporter
    private let threads = IOThreads("store-user-data", count: 1)
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
            guard policy.worksFromMemory else { throw error }
            let queue = openToRead()
            state.withLock { state in
                state.queue = queue
                state.trouble = error
            }
            reporter.note(.behind(error))
        }
    }

    var status: StoreStatus { reporter.status }

    /// Closes the database. Later calls throw. Idempotent.
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
            guard policy.worksFromMemory, error != .stopped else { throw error }
            // A catalog page must not fail because favorites can't be read.
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
            // The file may be writable again.
            try open()
        }
        do throws(StoreError) {
            return try await run { queue in try queue.write(body) }
        } catch {
            if error != .stopped { reporter.note(.unwritten(error)) }
            throw error
        }
    }

    /// Returns SQLite's complaints. With `repair` a damaged file is moved aside and its readable
    /// rows are copied.
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
                try replaceDamaged(state.withLock { $0.number })
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
                try replaceDamaged(number)
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

    /// Moves the file aside and opens a new one, once per damage, because calls run one by one.
    private func replaceDamaged(_ number: Int) throws(StoreError) {
        let broken = state.withLock { $0.number == number ? $0.queue : nil }
        guard let broken else { return }
        do {
            try broken.close()
        } catch {
            // A damaged file can't be checkpointed. Its descriptor is closed with the queue.
        }
        try open(isDamaged: true)
    }

    /// Opens or creates the file. A damaged one is moved aside first.
    private func open(isDamaged: Bool = false) throws(StoreError) {
        do throws(Errno) {
            try layout.makeTree()
        } catch {
            if error.isFullDisk { throw .diskFull(path: layout.root) }
            throw .unusable(path: layout.root, reason: error.reason)
        }
        let (queue, aside) = try layout.withOpeningLock {
            () throws(StoreError) -> (DatabaseQueue, String?) in
            let path = layout.userData
            do {
                if !isDamaged {
                    do {
                        return (try connect(), nil)
                    } catch let error as DatabaseError where error.isDamage {
                        // Replaced below.
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
                // The file is too damaged to be read. It is kept for inspection.
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
        try SQLiteFile.prepare(layout.userData, layout)
        var configuration = configuration
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: layout.userData, configuration: configuration)
        try migrator.migrate(queue)
        return queue
    }

    private func openToRead() -> DatabaseQueue? {
        var configuration = configuration
        configuration.readonly = true
        for address in SQLiteFile.readOnlyAddresses(layout.userData) {
            do {
                let queue = try DatabaseQueue(path: address, configuration: configuration)
                let applied = try queue.unsafeRead(migrator.appliedIdentifiers)
                // An older file lacks tables, which then count as empty.
                if !applied.isEmpty { return queue }
            } catch {
                // Tries the next address.
            }
        }
        do {
            return try emptyTables()
        } catch {
            // Without memory for empty tables, every call reports why the file can't be used.
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
        configuration.label = "user data"
        configuration.busyMode = .timeout(policy.lockTimeout)
        return configuration
    }
}
