import FoundationEssentials
import GRDB
import Glibc
import Threads

/// A queue in a file, for the processes of one machine.
///
/// Leases and ages count by the machine's wall clock, which all its processes share.
final class SQLiteHub: WorkQueue {
    /// Another process keeps the file locked for milliseconds.
    private static let lockTimeout: TimeInterval = 10
    /// The pause between two looks for jobs. Looking takes microseconds.
    private static let pause = Duration.milliseconds(50)
    private static let threadCount = 2

    /// Where a job is, and which of its deliveries this is.
    private struct Handle: Sendable {
        var number: Int64
        var delivery: Int
    }

    let policy: QueuePolicy
    private let database: DatabaseQueue
    private let threads: ThreadPool
    private let now: @Sendable () -> Date

    /// - Throws: ``QueueError/failed(operation:reason:)`` if the file can't be opened.
    init(
        _ path: String, _ policy: QueuePolicy, now: @escaping @Sendable () -> Date
    ) async throws(QueueError) {
        self.policy = policy
        self.now = now
        let threads = ThreadPool("queue", count: Self.threadCount)
        self.threads = threads
        database = try await threads.run { () throws(QueueError) in
            try Self.wrapped("open \(path)") { try Self.open(path) }
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        // Created with the owner's rights only, because jobs name what clients look at.
        let descriptor = Glibc.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
        var configuration = Configuration()
        configuration.busyMode = .timeout(lockTimeout)
        configuration.journalMode = .wal
        configuration.label = "vitrine.queue"
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { try $0.execute(sql: schema) }
        return database
    }

    /// `ready` is when a job may be delivered: at once, after a pause, or when its lease ends.
    /// Times are in milliseconds since 1970.
    private static let schema = """
        CREATE TABLE IF NOT EXISTS job (
            number INTEGER PRIMARY KEY AUTOINCREMENT, lane INTEGER NOT NULL, route TEXT NOT NULL,
            origin TEXT NOT NULL, body BLOB NOT NULL, added INTEGER NOT NULL,
            ready INTEGER NOT NULL, deliveries INTEGER NOT NULL DEFAULT 0,
            leased INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX IF NOT EXISTS job_ready ON job (route, lane, origin, ready, number);
        CREATE TABLE IF NOT EXISTS part (
            route TEXT NOT NULL, lane INTEGER NOT NULL, origin TEXT NOT NULL,
            PRIMARY KEY (route, lane, origin)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS seen (
            id TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS seen_until ON seen (until);
        CREATE TABLE IF NOT EXISTS dead (
            number INTEGER PRIMARY KEY AUTOINCREMENT, reason TEXT NOT NULL, origin TEXT NOT NULL,
            deliveries INTEGER NOT NULL, at INTEGER NOT NULL, body BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS value (
            bucket TEXT NOT NULL, key TEXT NOT NULL, bytes BLOB NOT NULL,
            revision INTEGER NOT NULL, until INTEGER NOT NULL,
            PRIMARY KEY (bucket, key)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS event (
            number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, bytes BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS log (
            id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL,
            revision INTEGER NOT NULL);
        INSERT OR IGNORE INTO log VALUES (1, lower(hex(randomblob(8))), 0);
        """

    /// Runs statements in one transaction, on a thread of its own.
    func write<Value: Sendable>(
        _ operation: String, _ body: @escaping @Sendable (Database, _ now: Int64) throws -> Value
    ) async throws(QueueError) -> Value {
        try await threads.run { [database, now] () throws(QueueError) in
            try Self.wrapped(operation) {
                let time = Int64(now().timeIntervalSince1970 * 1_000)
                return try database.write { try body($0, time) }
            }
        }
    }

    private static func wrapped<Value>(
        _ operation: String, _ body: () throws -> Value
    ) throws(QueueError) -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            // Never its description, which has the statement with its values.
            throw .failed(
                operation: operation, reason: error.message ?? "\(error.resultCode)")
        } catch {
            throw .failed(operation: operation, reason: "\(error)")
        }
    }

    func close() async {
        await threads.run { [database] in
            // Nothing can be done about a failure; the transactions are complete.
            try? database.close()
        }
    }

    static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, fraction) = duration.components
        return Int64(clamping: seconds) &* 1_000 &+ fraction / 1_000_000_000_000_000
    }

    // MARK: - Jobs

    func publish(_ job: QueueJob) async throws(QueueError) -> Bool {
        let window = Self.milliseconds(policy.dedupe)
        return try await write("publish") { database, now in
            try database.execute(sql: "DELETE FROM seen WHERE until <= ?", arguments: [now])
            try database.execute(
                sql: "INSERT OR IGNORE INTO seen VALUES (?, ?)", arguments: [job.id, now + window])
            guard database.changesCount > 0 else { return false }
            let lane = Self.number(job.lane)
            try database.execute(
                sql: "INSERT OR IGNORE INTO part VALUES (?, ?, ?)",
                arguments: [job.route, lane, job.origin])
            try database.execute(
                sql: """
                    INSERT INTO job (lane, route, origin, body, added, ready)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [lane, job.route, job.origin, Data(job.body), now, now])
            return true
        }
    }

    func fetch(_ request: QueueFetch, wait: Duration) async throws -> [Delivery] {
        let deadline = ContinuousClock.now + wait
        while true {
            try Task.checkCancellation()
            let found = try await take(request)
            if !found.isEmpty {
                guard Task.isCancelled else { return found }
                for delivery in found { try await retry(delivery, after: .zero) }
                throw CancellationError()
            }
            let left = deadline - .now
            guard left > .zero else { return [] }
            policy.idles()
            try await Task.sleep(for: min(left, Self.pause))
        }
    }

    private func take(_ request: QueueFetch) async throws(QueueError) -> [Delivery] {
        let lease = Self.milliseconds(policy.lease)
        return try await write("fetch") { database, now in
            let parts = try Row.fetchAll(
                database,
                sql: "SELECT lane, origin FROM part WHERE route = ? ORDER BY lane, origin",
                arguments: [request.route]
            ).filter { !request.without.contains($0["origin"]) }
            var found: [Row] = []
            for lane in [0, 1] where found.count < request.limit {
                let origins = try parts.filter { $0["lane"] == lane }.map { part in
                    try Row.fetchAll(
                        database,
                        sql: """
                            SELECT * FROM job WHERE route = ? AND lane = ? AND origin = ?
                            AND ready <= ? ORDER BY ready, number LIMIT ?
                            """,
                        arguments: [
                            request.route, lane, part["origin"], now, request.limit - found.count,
                        ])
                }
                found += TakingTurns.merge(origins, limit: request.limit - found.count)
            }
            return try found.map { row in
                let number: Int64 = row["number"]
                let count: Int = row["deliveries"] + 1
                try database.execute(
                    sql: "UPDATE job SET ready = ?, deliveries = ?, leased = 1 WHERE number = ?",
                    arguments: [now + lease, count, number])
                return Delivery(
                    lane: row["lane"] == 0 ? .high : .low, route: row["route"],
                    origin: row["origin"], body: Array(row["body"] as Data), count: count,
                    handle: Handle(number: number, delivery: count))
            }
        }
    }

    func extend(_ delivery: Delivery) async throws(QueueError) {
        let lease = Self.milliseconds(policy.lease)
        try await change(delivery, "renew a lease") { database, handle, now in
            try database.execute(
                sql: "UPDATE job SET ready = ? WHERE number = ? AND deliveries = ? AND leased = 1",
                arguments: [now + lease, handle.number, handle.delivery])
        }
    }

    func finish(_ delivery: Delivery) async throws(QueueError) {
        try await change(delivery, "confirm a job") { database, handle, _ in
            try database.execute(
                sql: "DELETE FROM job WHERE number = ?", arguments: [handle.number])
        }
    }

    func retry(_ delivery: Delivery, after delay: Duration) async throws(QueueError) {
        let pause = Self.milliseconds(delay)
        try await change(delivery, "give a job back") { database, handle, now in
            try database.execute(
                sql: """
                    UPDATE job SET ready = ?, leased = 0 WHERE number = ? AND deliveries = ?
                    """,
                arguments: [now + pause, handle.number, handle.delivery])
        }
    }

    func bury(_ delivery: Delivery, reason: String, body: [UInt8]) async throws(QueueError) {
        try await change(delivery, "keep a dead job") { database, handle, now in
            try database.execute(
                sql:
                    "INSERT INTO dead (reason, origin, deliveries, at, body) VALUES (?, ?, ?, ?, ?)",
                arguments: [reason, delivery.origin, delivery.count, now, Data(body)])
            try database.execute(
                sql: "DELETE FROM job WHERE number = ?", arguments: [handle.number])
        }
    }

    private func change(
        _ delivery: Delivery, _ operation: String,
        _ body: @escaping @Sendable (Database, Handle, _ now: Int64) throws -> Void
    ) async throws(QueueError) {
        guard let handle = delivery.handle as? Handle else { return }
        try await write(operation) { database, now in try body(database, handle, now) }
    }

    func backlog() async throws(QueueError) -> Backlog {
        try await write("count its jobs") { database, now in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT route, lane, origin, SUM(leased = 0 AND deliveries = 0) AS waiting,
                        SUM(leased = 1 OR deliveries > 0) AS leased, SUM(deliveries > 1) AS repeated
                    FROM job GROUP BY route, lane, origin ORDER BY lane, route, origin
                    """)
            var backlog = Backlog()
            backlog.parts = rows.map { row in
                Backlog.Part(
                    lane: row["lane"] == 0 ? .high : .low, route: row["route"],
                    origin: row["origin"], waiting: row["waiting"], leased: row["leased"],
                    redelivered: row["repeated"])
            }
            let oldest = try Int64.fetchOne(database, sql: "SELECT MIN(added) FROM job")
            backlog.oldest = oldest.map { Double(max(0, now - $0)) / 1_000 }
            backlog.dead = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM dead") ?? 0
            return backlog
        }
    }

    func dead(limit: Int) async throws(QueueError) -> [DeadJob] {
        try await write("list its dead jobs") { database, _ in
            try Row.fetchAll(
                database, sql: "SELECT * FROM dead ORDER BY number DESC LIMIT ?",
                arguments: [limit]
            ).map { row in
                DeadJob(
                    reason: row["reason"], origin: row["origin"], deliveries: row["deliveries"],
                    at: Double(row["at"] as Int64) / 1_000, body: Array(row["body"] as Data))
            }
        }
    }

    private static func number(_ lane: QueueJob.Lane) -> Int {
        switch lane {
        case .high: 0
        case .low: 1
        }
    }
}
