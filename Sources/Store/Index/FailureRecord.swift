package import FoundationEssentials
import GRDB

/// A remembered failure (RFC 9111 knows them as negative responses).
package struct FailureRecord: Sendable, Equatable, Codable {
    /// `absent`, `unavailable` or `rejected`, as the pipeline names them.
    package var kind: String
    package var reason: String
    /// It isn't tried again before this date.
    package var until: Date

    package init(kind: String, reason: String, until: Date) {
        self.kind = kind
        self.reason = reason
        self.until = until
    }
}

extension RowColumns {
    /// Reads three columns: kind, reason, until.
    mutating func nextFailure() throws -> FailureRecord? {
        let kind: String? = try nextIfAny()
        let reason: String? = try nextIfAny()
        let until = try nextMillisecondsIfAny()
        guard let kind, let reason, let until else { return nil }
        return FailureRecord(kind: kind, reason: reason, until: until)
    }
}

extension IndexRows {
    /// The columns of a failure in the tables that have it.
    static let failureColumns = """
        failureKind TEXT,
            failureReason TEXT,
            failureUntil INTEGER
        """

    /// Returns the expressions that ``RowColumns/nextFailure()`` reads.
    static func failure(of table: String) -> String {
        "\(table).failureKind, \(table).failureReason, \(table).failureUntil"
    }

    /// Returns the values of a failure's columns.
    static func failureValues(
        _ failure: FailureRecord?
    ) throws -> [(any DatabaseValueConvertible)?] {
        guard let failure else { return [nil, nil, nil] }
        return [failure.kind, failure.reason, try milliseconds(failure.until)]
    }
}
