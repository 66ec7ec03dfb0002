import FoundationEssentials
import GRDB
import Hashing

/// Reads the columns of a row from left to right. A value of the wrong type throws, because the
/// file may be damaged; GRDB's subscripts would stop the program.
struct RowColumns {
    private let row: Row
    private var index = 0

    /// - Parameter row: valid until its cursor advances.
    init(_ row: Row) { self.row = row }

    mutating func nextValue() -> DatabaseValue {
        defer { index += 1 }
        return row[index]
    }

    mutating func nextIfAny<Value: DatabaseValueConvertible>() throws -> Value? {
        let stored = nextValue()
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

    /// Reads milliseconds since 1970. Throws if no calendar has the date.
    mutating func nextMilliseconds() throws -> Date {
        try date(Double(try next() as Int64) / 1_000)
    }

    mutating func nextMillisecondsIfAny() throws -> Date? {
        let milliseconds: Int64? = try nextIfAny()
        return try milliseconds.map { try date(Double($0) / 1_000) }
    }

    /// Converts seconds since 1970, and refuses dates outside of the calendar.
    func date(_ seconds: Double) throws -> Date {
        guard IndexRows.dates.contains(seconds) else { throw unexpected() }
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

    /// Reads the bytes of a picture.
    mutating func nextByteCount() throws -> Int {
        let count: Int = try next()
        guard StoredBounds.bytes.contains(count) else { throw unexpected() }
        return count
    }

    /// Reads the width and the height of a picture.
    mutating func nextSize() throws -> (width: Int, height: Int) {
        let (width, height): (Int, Int) = (try next(), try next())
        guard StoredBounds.holds(width: width, height: height) else { throw unexpected() }
        return (width, height)
    }

    /// Reads the same of a picture whose size may be unknown, which is 0.
    mutating func nextSizeIfKnown() throws -> (width: Int, height: Int) {
        let (width, height): (Int, Int) = (try next(), try next())
        guard width == 0 && height == 0 || StoredBounds.holds(width: width, height: height) else {
            throw unexpected()
        }
        return (width, height)
    }

    private func unexpected() -> StoreError {
        .index(reason: "a row has an unexpected value in column \(index)")
    }
}
