import FoundationEssentials
import GRDB

/// Reads the columns of a row from left to right. A value of the wrong type throws, because the
/// file may be damaged; GRDB's subscripts would stop the program.
struct RowColumns {
    private let row: Row
    private var index = 0

    /// - Parameter row: valid until its cursor advances.
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

    /// Reads seconds since 1970. Throws if no calendar has the date.
    mutating func nextDate() throws -> Date {
        try date(try next())
    }

    /// Converts seconds since 1970, and refuses dates outside of the calendar.
    func date(_ seconds: Double) throws -> Date {
        // The years 0 to 9999. NaN is in no range.
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

    private func unexpected() -> StoreError {
        .index(reason: "a row has an unexpected value in column \(index)")
    }
}

extension Digest {
    /// The bytes as the index stores them.
    var data: Data { Data(bytes) }
}
