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
        let until: Double? = try nextIfAny()
        guard let kind, let reason, let until else { return nil }
        return FailureRecord(kind: kind, reason: reason, until: try date(until))
    }
}

extension IndexRows {
    static func failureValues(
        _ failure: FailureRecord?
    ) -> [(any DatabaseValueConvertible)?] {
        [failure?.kind, failure?.reason, failure?.until.timeIntervalSince1970]
    }
}
