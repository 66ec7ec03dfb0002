import FoundationEssentials
import GRDB

/// Reads the columns of a row from left to right; a value of the wrong type is an error, where
/// GRDB's subscripts would stop the program: the file may be damaged.
struct RowColumns {
    private let row: Row
    private var index = 0

    /// The row is valid until its cursor moves on.
    init(_ row: Row) { self.row = row }

    mutating func nextIfAny<Value: DatabaseValueConvertible>() throws -> Value? {
        defer { index += 1 }
        let stored: DatabaseValue = row[index]
        if stored.isNull { return nil }
        guard let value = Value.fromDatabaseValue(stored) else { throw unexpected() }
        return value
    }

    mutating func next<Value: DatabaseValueConvertible>() throws -> Value {
        guard let value: Value = try nextIfAny() else { throw unexpected() }
        return value
    }

    mutating func nextBytes() throws -> [UInt8] {
        [UInt8](try next() as Data)
    }

    /// Stored as seconds since 1970. One that no calendar has is an unexpected value.
    mutating func nextDate() throws -> Date {
        try date(try next())
    }

    private func date(_ seconds: Double) throws -> Date {
        // The years 0 to 9999; not a number is in no range.
        guard (-62_167_219_200..<253_402_300_800).contains(seconds) else { throw unexpected() }
        return Date(timeIntervalSince1970: seconds)
    }

    mutating func nextDigestIfAny() throws -> Digest? {
        guard let data: Data = try nextIfAny() else { return nil }
        guard let digest = Digest(bytes: data) else { throw unexpected() }
        return digest
    }

    mutating func nextDigest() throws -> Digest {
        guard let digest = try nextDigestIfAny() else { throw unexpected() }
        return digest
    }

    /// Three columns: kind, reason, until.
    mutating func nextFailure() throws -> FailureRecord? {
        let kind: String? = try nextIfAny()
        let reason: String? = try nextIfAny()
        let until: Double? = try nextIfAny()
        guard let kind, let reason, let until else { return nil }
        return FailureRecord(kind: kind, reason: reason, until: try date(until))
    }

    private func unexpected() -> StoreError {
        .index(reason: "a row has an unexpected value in column \(index)")
    }
}

extension Digest {
    /// As the index stores it.
    var data: Data { Data(bytes) }
}
