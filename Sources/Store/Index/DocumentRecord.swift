package import FoundationEssentials
import GRDB

/// A document under a key, with its dates.
package struct DocumentRecord: Sendable, Equatable {
    package var key: String
    package var body: [UInt8]
    package var fetchedAt: Date
    package var expiresAt: Date

    package init(key: String, body: [UInt8], fetchedAt: Date, expiresAt: Date) {
        self.key = key
        self.body = body
        self.fetchedAt = fetchedAt
        self.expiresAt = expiresAt
    }

    /// The SQL that creates the table.
    static let table = """
        CREATE TABLE documents (
            key TEXT NOT NULL PRIMARY KEY,
            body BLOB NOT NULL,
            fetchedAt INTEGER NOT NULL,
            expiresAt INTEGER NOT NULL
        ) STRICT;
        """
}

extension IndexRows {
    private static let documentColumns = "key, body, fetchedAt, expiresAt"
    static let documentRows = "SELECT \(documentColumns) FROM documents"

    static func document(_ database: Database, _ key: String) throws -> DocumentRecord? {
        try select(
            database, "\(documentRows) WHERE key = ?", [key], document
        ).first
    }

    /// - Parameter keys: a JSON list.
    static func documents(_ database: Database, keys: String) throws -> [DocumentRecord] {
        try select(
            database, "\(documentRows) WHERE key IN (SELECT value FROM json_each(?))", [keys],
            document)
    }

    static func upsert(_ database: Database, _ record: DocumentRecord) throws {
        try execute(
            database,
            """
            INSERT INTO documents (\(documentColumns)) VALUES (?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET body = excluded.body,
                fetchedAt = excluded.fetchedAt, expiresAt = excluded.expiresAt
            """,
            [
                record.key, Data(record.body), try milliseconds(record.fetchedAt),
                try milliseconds(record.expiresAt),
            ])
    }

    static func document(_ columns: inout RowColumns) throws -> DocumentRecord {
        DocumentRecord(
            key: try columns.next(), body: try columns.nextBytes(),
            fetchedAt: try columns.nextMilliseconds(), expiresAt: try columns.nextMilliseconds())
    }
}
