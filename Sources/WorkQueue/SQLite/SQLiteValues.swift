import FoundationEssentials
import GRDB

/// Values in the file of a queue.
struct SQLiteValues: SharedValues {
    let hub: SQLiteHub
    let bucket: String
    let life: Duration

    init(_ hub: SQLiteHub, bucket: String, life: Duration) {
        self.hub = hub
        self.bucket = bucket
        self.life = life
    }

    func value(_ key: String) async throws(QueueError) -> SharedValue? {
        try await hub.write("read a value") { [bucket] database, now in
            try Row.fetchOne(
                database,
                sql: "SELECT * FROM value WHERE bucket = ? AND key = ? AND until > ?",
                arguments: [bucket, key, now]
            ).map(Self.value)
        }
    }

    func set(_ key: String, _ bytes: [UInt8]) async throws(QueueError) -> UInt64 {
        try await hub.write("write a value") { database, now in
            try write(database, key, bytes, now)
        }
    }

    func exchange(
        _ key: String, _ bytes: [UInt8], for revision: UInt64?
    ) async throws(QueueError) -> UInt64? {
        try await hub.write("write a value") { database, now in
            let found = try Int64.fetchOne(
                database,
                sql: "SELECT revision FROM value WHERE bucket = ? AND key = ? AND until > ?",
                arguments: [bucket, key, now])
            guard found.map(UInt64.init) == revision else { return nil }
            return try write(database, key, bytes, now)
        }
    }

    func remove(_ key: String) async throws(QueueError) {
        try await hub.write("remove a value") { [bucket] database, _ in
            try database.execute(
                sql: "DELETE FROM value WHERE bucket = ? AND key = ?", arguments: [bucket, key])
        }
    }

    func all(_ prefix: String) async throws(QueueError) -> [String: SharedValue] {
        try await hub.write("list values") { [bucket] database, now in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM value WHERE bucket = ? AND key >= ? AND substr(key, 1, ?) = ?
                    AND until > ?
                    """,
                arguments: [bucket, prefix, prefix.count, prefix, now])
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["key"], Self.value($0)) })
        }
    }

    private func write(
        _ database: Database, _ key: String, _ bytes: [UInt8], _ now: Int64
    ) throws -> UInt64 {
        try database.execute(sql: "DELETE FROM value WHERE until <= ?", arguments: [now])
        try database.execute(sql: "UPDATE log SET revision = revision + 1")
        let revision = try Int64.fetchOne(database, sql: "SELECT revision FROM log") ?? 0
        try database.execute(
            sql: "INSERT OR REPLACE INTO value VALUES (?, ?, ?, ?, ?)",
            arguments: [
                bucket, key, Data(bytes), revision, now + SQLiteHub.milliseconds(life),
            ])
        return UInt64(revision)
    }

    private static func value(_ row: Row) -> SharedValue {
        SharedValue(
            bytes: Array(row["bytes"] as Data), revision: UInt64(row["revision"] as Int64))
    }
}

/// Events in the file of a queue.
struct SQLiteEvents: EventLog {
    let hub: SQLiteHub

    init(_ hub: SQLiteHub) { self.hub = hub }

    func append(_ bytes: [UInt8]) async throws(QueueError) -> UInt64 {
        let kept = SQLiteHub.milliseconds(hub.policy.retention)
        return try await hub.write("add an event") { database, now in
            try database.execute(sql: "DELETE FROM event WHERE at <= ?", arguments: [now - kept])
            try database.execute(
                sql: "INSERT INTO event (at, bytes) VALUES (?, ?)", arguments: [now, Data(bytes)])
            return UInt64(database.lastInsertedRowID)
        }
    }

    func extent() async throws(QueueError) -> EventExtent {
        let kept = SQLiteHub.milliseconds(hub.policy.retention)
        return try await hub.write("read its events") { database, now in
            try database.execute(sql: "DELETE FROM event WHERE at <= ?", arguments: [now - kept])
            let first = try Int64.fetchOne(database, sql: "SELECT MIN(number) FROM event")
            let last =
                try Int64.fetchOne(
                    database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
            let identity = try String.fetchOne(database, sql: "SELECT identity FROM log") ?? ""
            return EventExtent(
                identity: identity, first: UInt64(first ?? last + 1), last: UInt64(last))
        }
    }

    func event(_ number: UInt64) async throws(QueueError) -> [UInt8]? {
        try await hub.write("read an event") { database, _ in
            try Data.fetchOne(
                database, sql: "SELECT bytes FROM event WHERE number = ?",
                arguments: [Int64(clamping: number)]
            ).map { Array($0) }
        }
    }
}
