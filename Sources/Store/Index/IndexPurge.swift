import FoundationEssentials
import GRDB

/// The result of a purge.
package struct IndexPurge: Sendable, Equatable {
    /// Items whose picture was removed, or that were purged themselves.
    package var items: Set<String> = []
    package var originals = 0
    package var thumbnails = 0
    package var documents = 0
    /// Blobs that no row refers to any more. The caller removes them.
    package var orphans: [Digest] = []
}

extension Index {
    /// Purges in one transaction. A hard purge removes originals with all their thumbnails, for
    /// every item that shows them, and every contact sheet. Rows that are stored meanwhile may
    /// stay.
    package func purge(_ order: PurgeRequest) async throws(StoreError) -> IndexPurge {
        var purge = try await write { try IndexRows.purge($0, order) }
        guard let waiting = try await purgeWaiting(order) else { return purge }
        purge.items.formUnion(waiting.items)
        purge.originals += waiting.originals
        purge.thumbnails += waiting.thumbnails
        purge.documents += waiting.documents
        // A row in memory may refer to a blob that no row on disk refers to, and the reverse.
        var orphans: [Digest] = []
        for digest in Set(purge.orphans + waiting.orphans).sorted() {
            if try await !names(digest) { orphans.append(digest) }
        }
        purge.orphans = orphans
        return purge
    }

    /// Purges the rows in memory; nil if there are none.
    private func purgeWaiting(_ order: PurgeRequest) async throws(StoreError) -> IndexPurge? {
        guard let unsaved, !unsaved.isEmpty else { return nil }
        return try await threads.run { [layout] () throws(StoreError) in
            do {
                return try unsaved.write { try IndexRows.purge($0, order) }
            } catch {
                throw StoreError(index: error, layout)
            }
        }
    }
}

extension IndexRows {
    static func purge(_ database: Database, _ order: PurgeRequest) throws -> IndexPurge {
        let found = try found(database, order)
        var purge = IndexPurge()
        purge.items = found.items
        let documents = try select(database, "SELECT key FROM documents", []) { columns in
            try columns.next() as String
        }.filter(order.isDocument)
        purge.documents = documents.count
        switch order.mode {
        case .soft(let now):
            try expire(database, found, documents, at: now, &purge)
        case .hard:
            for key in documents {
                try execute(database, "DELETE FROM documents WHERE key = ?", [key])
            }
            try remove(database, found, &purge)
        }
        return purge
    }

    private struct Found {
        var items: Set<String> = []
        var originals: Set<Digest> = []
        var addresses: Set<String> = []
    }

    private static func found(_ database: Database, _ order: PurgeRequest) throws -> Found {
        let (condition, values) =
            switch order.items {
            case .item(let item): ("item = ?", [item])
            // “0” is what follows “/”.
            case .source(let name): ("item >= ? AND item < ?", ["\(name)/", "\(name)0"])
            case .all: ("TRUE", [])
            }
        var found = Found()
        let sql = "SELECT item, original, url, trace FROM bindings WHERE \(condition)"
        for (item, original, url, trace) in try select(
            database, sql, values,
            { columns in
                (
                    try columns.next() as String, try columns.nextDigestIfAny(),
                    try columns.nextIfAny() as String?, try columns.nextBytes()
                )
            })
        {
            found.items.insert(item)
            if let original { found.originals.insert(original) }
            if let url { found.addresses.insert(url) }
            found.addresses.formUnion(order.addresses(trace))
        }
        if order.items == .all {
            // Includes originals that no item shows any more.
            found.addresses.formUnion(
                try select(database, "SELECT url FROM originals", []) { try $0.next() as String })
            found.originals.formUnion(
                try select(
                    database,
                    "SELECT DISTINCT original FROM thumbnails WHERE level NOT LIKE 'sheet-%'", []
                ) { columns in
                    try columns.nextDigest()
                })
        }
        return found
    }

    private static func expire(
        _ database: Database, _ found: Found, _ documents: [String], at now: Date,
        _ purge: inout IndexPurge
    ) throws {
        let now = now.timeIntervalSince1970
        let past = "SET freshUntil = min(freshUntil, ?), failureUntil = min(failureUntil, ?)"
        for item in found.items {
            try execute(database, "UPDATE bindings \(past) WHERE item = ?", [now, now, item])
        }
        for url in found.addresses {
            try execute(database, "UPDATE originals \(past) WHERE url = ?", [now, now, url])
            purge.originals += database.changesCount
        }
        for original in found.originals {
            purge.thumbnails += try count(
                database, "SELECT count(*) FROM thumbnails WHERE original = ?", [original.data])
        }
        for key in documents {
            try execute(
                database, "UPDATE documents SET expiresAt = min(expiresAt, ?) WHERE key = ?",
                [now, key])
        }
    }

    private static func remove(
        _ database: Database, _ found: Found, _ purge: inout IndexPurge
    ) throws {
        var blobs = found.originals
        for original in found.originals {
            let others = try select(
                database, "SELECT DISTINCT item FROM bindings WHERE original = ?", [original.data]
            ) { try $0.next() as String }
            purge.items.formUnion(others)
            blobs.formUnion(
                try select(
                    database, "SELECT digest FROM thumbnails WHERE original = ?", [original.data]
                ) { try $0.nextDigest() })
            try execute(database, "DELETE FROM thumbnails WHERE original = ?", [original.data])
            purge.thumbnails += database.changesCount
            try execute(database, "DELETE FROM originals WHERE digest = ?", [original.data])
            purge.originals += database.changesCount
            for table in ["bindings", "summaries", "quarantine"] {
                try execute(database, "DELETE FROM \(table) WHERE original = ?", [original.data])
            }
        }
        for item in found.items {
            try execute(database, "DELETE FROM bindings WHERE item = ?", [item])
        }
        for url in found.addresses {
            // Originals that another item shows stay with that item's rows.
            try execute(
                database, "DELETE FROM originals WHERE url = ? AND digest IS NULL", [url])
            purge.originals += database.changesCount
        }
        // Any sheet may show a purged picture, and sheets are cheap to make again.
        blobs.formUnion(
            try select(
                database, "SELECT digest FROM thumbnails WHERE level LIKE 'sheet-%'", []
            ) { try $0.nextDigest() })
        try execute(database, "DELETE FROM thumbnails WHERE level LIKE 'sheet-%'", [])
        purge.thumbnails += database.changesCount
        for digest in blobs where try !isNamed(database, digest) { purge.orphans.append(digest) }
    }

    static func isNamed(_ database: Database, _ digest: Digest) throws -> Bool {
        let sql = """
            SELECT (SELECT count(*) FROM thumbnails WHERE digest = ?)
                + (SELECT count(*) FROM originals WHERE digest = ?)
                + (SELECT count(*) FROM bindings WHERE original = ?)
            """
        return try count(database, sql, [digest.data, digest.data, digest.data]) > 0
    }

    private static func count(
        _ database: Database, _ sql: String, _ values: [(any DatabaseValueConvertible)?]
    ) throws -> Int {
        try select(database, sql, values) { try $0.next() as Int }.first ?? 0
    }
}
