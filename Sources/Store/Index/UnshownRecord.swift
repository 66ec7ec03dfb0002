import GRDB

/// Why an item shows no picture.
package struct UnshownRecord: Sendable, Equatable {
    package var item: String
    package var failure: FailureRecord
}

extension IndexRows {
    static func unshown(_ database: Database, items: String) throws -> [UnshownRecord] {
        let sql = """
            SELECT wanted.value, \(failure(of: "resolutions")), max(resolutions.failureUntil)
            FROM json_each(?) AS wanted
            CROSS JOIN items ON items.name = wanted.value
            CROSS JOIN resolutions ON resolutions.item = items.id
            GROUP BY items.id
            HAVING count(resolutions.picture) = 0 AND count(resolutions.failureKind) > 0
            """
        return try select(database, sql, [items], unshown).compactMap(\.self)
    }

    /// Reads item and failure.
    static func unshown(_ columns: inout RowColumns) throws -> UnshownRecord? {
        let item: String = try columns.next()
        return try columns.nextFailure().map { UnshownRecord(item: item, failure: $0) }
    }
}
