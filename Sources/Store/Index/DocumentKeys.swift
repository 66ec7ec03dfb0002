import GRDB
import Threads

/// Keys of documents: single ones, and all that begin alike.
package struct DocumentKeys: Sendable, Equatable {
    package static let all = DocumentKeys(beginnings: [""])
    package static let none = DocumentKeys()

    package var keys: Set<String>
    /// An empty one is the beginning of all keys.
    package var beginnings: [String]

    package init(_ keys: Set<String> = [], beginnings: [String] = []) {
        self.keys = keys
        self.beginnings = beginnings
    }

    package func contains(_ key: String) -> Bool {
        keys.contains(key) || beginnings.contains { key.utf8.starts(with: $0.utf8) }
    }
}

extension Index {
    /// Returns the keys of all documents that begin alike, in no particular order.
    package func documentKeys(beginning: String) async throws(StoreError) -> [String] {
        try await threads.run { [self] () throws(StoreError) in
            try all(
                by: \.self,
                { rows in rows.documents.keys.filter { $0.utf8.starts(with: beginning.utf8) } }
            ) { try IndexRows.documentKeys($0, beginning: beginning) }
        }
    }
}

extension IndexRows {
    /// Reads the keys alone, in their range.
    static func documentKeys(_ database: Database, beginning: String) throws -> [String] {
        // No text has a larger character behind its beginning.
        try select(
            database, "SELECT key FROM documents WHERE key >= ? AND key < ?",
            [beginning, beginning + "\u{10FFFF}"]
        ) { try $0.next() }
    }

    /// Returns single keys as they are, whether or not they have a document.
    static func documentKeys(_ database: Database, _ keys: DocumentKeys) throws -> Set<String> {
        try keys.beginnings.reduce(into: keys.keys) { found, beginning in
            found.formUnion(try documentKeys(database, beginning: beginning))
        }
    }
}
