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
}

extension DocumentRecord {
    /// The SQL that creates the table.
    static let table = """
        CREATE TABLE documents (
            key TEXT NOT NULL PRIMARY KEY,
            body BLOB NOT NULL,
            fetchedAt REAL NOT NULL,
            expiresAt REAL NOT NULL
        ) STRICT;
        """
}

extension IndexRows {
    private static let documentColumns = "key, body, fetchedAt, expiresAt"

    static func document(_ database: Database, _ key: String) throws -> DocumentRecord? {
        try select(
            database, "SELECT \(documentColumns) FROM documents WHERE key = ?", [key], document
        ).first
    }

    /// - Parameter keys: a JSON list.
    static func documents(_ database: Database, keys: String) throws -> [DocumentRecord] {
        try select(
            database,
            """
            SELECT \(documentColumns) FROM documents
            WHERE key IN (SELECT value FROM json_each(?))
            """, [keys], document)
    }

    static func allDocuments(_ database: Database) throws -> [DocumentRecord] {
        try select(database, "SELECT \(documentColumns) FROM documents", [], document)
    }

    static func upsert(_ database: Database, _ record: DocumentRecord) throws {
        try execute(
            database,
            "INSERT OR REPLACE INTO documents (\(documentColumns)) VALUES (?, ?, ?, ?)",
            [
                record.key, Data(record.body), record.fetchedAt.timeIntervalSince1970,
                record.expiresAt.timeIntervalSince1970,
            ])
    }

    private static func document(_ columns: inout RowColumns) throws -> DocumentRecord {
        DocumentRecord(
            key: try columns.next(), body: try columns.nextBytes(),
            fetchedAt: try columns.nextDate(), expiresAt: try columns.nextDate())
    }
}
