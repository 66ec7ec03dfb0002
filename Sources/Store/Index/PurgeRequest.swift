package import FoundationEssentials
import GRDB
package import Hashing

/// What to purge, as keys and ranges of keys: it costs what it names, however large the index is.
package struct PurgeRequest: Sendable, Equatable {
    package enum Items: Sendable, Equatable {
        /// One item, `tvmaze/show/1`.
        case item(String)
        /// All items of a source, `tvmaze`.
        case source(String)
        /// All items whose names begin like this.
        case prefix(String)
        /// The picture with this original, or with a thumbnail of these bytes, whichever items show it.
        case picture(Digest)
        /// The picture at a URL.
        case address(String)
        case all
    }

    package var items: Items
    /// When stored pictures expire, which are shown until they are refreshed; nil removes them, bytes
    /// included.
    package var expiry: Date?
    /// Documents that belong to it.
    package var documents: DocumentKeys
    /// What the name of a record beside that of a URL has behind the URL.
    package var besideMark: String

    package init(
        items: Items, expiry: Date?, documents: DocumentKeys, besideMark: String = ""
    ) {
        self.items = items
        self.expiry = expiry
        self.documents = documents
        self.besideMark = besideMark
    }

    /// Returns whether it names an item.
    func concerns(item name: String) -> Bool {
        switch items {
        case .item(let item): name == item
        case .source(let source): name.hasPrefix(source + "/")
        case .prefix(let prefix): name.hasPrefix(prefix)
        case .picture, .address: false
        case .all: true
        }
    }

    /// What it concerns besides items and documents.
    var concerned: PurgeFind.Concerned {
        switch items {
        case .picture(let digest): PurgeFind.Concerned(pictures: [digest])
        case .address(let url): PurgeFind.Concerned(addresses: [url])
        case .item, .source, .prefix, .all: PurgeFind.Concerned()
        }
    }

    /// Returns the names of the records beside those of URLs.
    func besides(_ urls: Set<String>) -> Set<String> {
        besideMark.isEmpty ? [] : Set(urls.map { $0 + besideMark })
    }
}

/// The result of a purge.
package struct IndexPurge: Sendable, Equatable {
    /// Items whose picture was removed, or that were purged themselves.
    package var items: Set<String> = []
    package var originals = 0
    package var thumbnails = 0
    package var documents = 0
    /// Blobs that no row refers to any more. The caller removes them.
    package var orphans: [Digest] = []

    package init() {}

    /// Adds what another purge has removed.
    package mutating func add(_ other: IndexPurge) {
        items.formUnion(other.items)
        originals += other.originals
        thumbnails += other.thumbnails
        documents += other.documents
        orphans += other.orphans
    }
}

/// What a purge concerns.
struct PurgeFind: Sendable {
    /// What keys name.
    enum Kind: Sendable {
        case documents, items, addresses
        /// Numbers of pictures, contact sheets among them.
        case pictures
    }

    /// Keys in one transaction.
    private static let batch = 200

    /// What it concerns besides the items and documents that the request names.
    struct Concerned: Sendable {
        /// Originals.
        var pictures: Set<Digest> = []
        /// URLs.
        var addresses: Set<String> = []
    }

    var items: Set<String> = []
    var pictures: Set<Int64> = []
    var sheets: [Int64] = []
    var addresses: Set<String> = []
    var documents: Set<String> = []

    /// Returns the keys of each transaction, in their order.
    ///
    /// - Parameter removing: whether pictures are removed, and contact sheets with them.
    func steps(removing: Bool) -> [(kind: Kind, keys: [DatabaseValue])] {
        let pictures = removing ? self.pictures.union(sheets) : self.pictures
        return Self.steps(.documents, documents.sorted().map(\.databaseValue))
            + Self.steps(.pictures, pictures.sorted().map(\.databaseValue))
            + Self.steps(.items, items.sorted().map(\.databaseValue))
            + Self.steps(.addresses, addresses.sorted().map(\.databaseValue))
    }

    private static func steps(
        _ kind: Kind, _ keys: [DatabaseValue]
    ) -> [(kind: Kind, keys: [DatabaseValue])] {
        stride(from: 0, to: keys.count, by: batch).map { first in
            (kind, Array(keys[first..<min(keys.count, first + batch)]))
        }
    }
}

extension IndexRows {
    /// - Parameter waiting: what rows in memory refer to.
    static func found(
        _ database: Database, _ order: PurgeRequest, besides waiting: PurgeFind.Concerned
    ) throws -> PurgeFind {
        var found = PurgeFind(addresses: waiting.addresses)
        for digest in waiting.pictures {
            if let picture = try knownPicture(database, digest) { found.pictures.insert(picture) }
        }
        found.documents = try documentKeys(database, order.documents)
        found.sheets = try select(
            database, "SELECT id FROM pictures WHERE source = '\(sheets)'", []
        ) { try $0.next() as Int64 }
        let (condition, values): (String, [String]) =
            switch order.items {
            case .item(let item): ("items.name = ?", [item])
            // A slash is the character before a zero.
            case .source(let name):
                ("items.name >= ? AND items.name < ?", [name + "/", name + "0"])
            case .prefix(let prefix):
                (
                    "items.name >= ? AND substr(items.name, 1, length(?)) = ?",
                    [prefix, prefix, prefix]
                )
            case .picture, .address: ("FALSE", [])
            case .all: ("TRUE", [])
            }
        switch order.items {
        case .picture(let digest):
            _ = try select(
                database, "WITH \(shownPictures) SELECT picture FROM shown", [digest.data]
            ) { found.pictures.insert(try $0.next()) }
        case .address(let url):
            _ = try select(
                database,
                "SELECT picture FROM originals WHERE urlHash = ? AND url = ? AND picture IS NOT NULL",
                [OriginalRecord.hash(ofURL: url), url]
            ) { found.pictures.insert(try $0.next()) }
            _ = try select(
                database,
                "SELECT picture FROM resolutions WHERE url = ? AND picture IS NOT NULL", [url]
            ) { found.pictures.insert(try $0.next()) }
        case .item, .source, .prefix, .all: break
        }
        let sql = """
            SELECT items.name, resolutions.picture,
                coalesce(resolutions.url, originals.url), resolutions.trace
            FROM items
            CROSS JOIN resolutions ON resolutions.item = items.id
            LEFT JOIN originals ON originals.id = resolutions.original
            WHERE \(condition)
            """
        _ = try select(database, sql, values) { columns in
            let item: String = try columns.next()
            found.items.insert(item)
            if let picture: Int64 = try columns.nextIfAny() { found.pictures.insert(picture) }
            let url: String? = try columns.nextIfAny()
            found.addresses.formUnion(
                ItemRecord.Resolution.addresses(url, try columns.nextTrace()))
        }
        for url in order.besides(found.addresses) {
            // Bytes that arrived for a picture and were not rendered.
            _ = try select(
                database,
                "SELECT picture FROM originals WHERE urlHash = ? AND url = ? AND picture IS NOT NULL",
                [OriginalRecord.hash(ofURL: url), url]
            ) { found.pictures.insert(try $0.next()) }
            found.addresses.insert(url)
        }
        if order.items == .all {
            // Includes originals that no item shows any more.
            _ = try select(database, "SELECT url FROM originals", []) {
                found.addresses.insert(try $0.next())
            }
            _ = try select(
                database, "SELECT id FROM pictures WHERE source <> '\(sheets)'", []
            ) { found.pictures.insert(try $0.next()) }
        }
        return found
    }

    static func concerned(
        _ database: Database, _ found: PurgeFind
    ) throws -> PurgeFind.Concerned {
        var concerned = PurgeFind.Concerned(addresses: found.addresses)
        for picture in found.pictures {
            _ = try select(database, "SELECT digest FROM pictures WHERE id = ?", [picture]) {
                concerned.pictures.insert(try $0.nextDigest())
            }
        }
        return concerned
    }

    static func purge(
        _ database: Database, _ kind: PurgeFind.Kind, _ keys: [DatabaseValue], _ expiry: Date?
    ) throws -> IndexPurge {
        var purge = IndexPurge()
        if let expiry {
            let now = try milliseconds(expiry)
            for key in keys { try expire(database, kind, key, at: now, &purge) }
            return purge
        }
        var blobs: Set<Digest> = []
        for key in keys { try remove(database, kind, key, &purge, &blobs) }
        for digest in blobs where try !isNamed(database, digest) { purge.orphans.append(digest) }
        return purge
    }

    private static func expire(
        _ database: Database, _ kind: PurgeFind.Kind, _ key: DatabaseValue, at now: Int64,
        _ purge: inout IndexPurge
    ) throws {
        let past = "SET freshUntil = min(freshUntil, ?2), failureUntil = min(failureUntil, ?2)"
        switch kind {
        case .documents:
            try execute(
                database, "UPDATE documents SET expiresAt = min(expiresAt, ?2) WHERE key = ?1",
                [key, now])
            purge.documents += database.changesCount
        case .items:
            guard let item = String.fromDatabaseValue(key) else { return }
            purge.items.insert(item)
            try execute(
                database,
                """
                UPDATE resolutions \(past)
                WHERE item = (SELECT id FROM items WHERE name = ?1)
                """, [item, now])
        case .addresses:
            guard let url = String.fromDatabaseValue(key) else { return }
            try execute(
                database, "UPDATE originals \(past) WHERE urlHash = ?1 AND url = ?3",
                [OriginalRecord.hash(ofURL: url), now, url])
            purge.originals += database.changesCount
        case .pictures:
            purge.thumbnails += try count(
                database,
                "SELECT count(*) FROM thumbnails WHERE picture = ?", [key])
        }
    }

    private static func remove(
        _ database: Database, _ kind: PurgeFind.Kind, _ key: DatabaseValue,
        _ purge: inout IndexPurge, _ blobs: inout Set<Digest>
    ) throws {
        switch kind {
        case .documents:
            try execute(database, "DELETE FROM documents WHERE key = ?", [key])
            purge.documents += database.changesCount
        case .items:
            guard let item = String.fromDatabaseValue(key) else { return }
            purge.items.insert(item)
            try execute(
                database,
                """
                DELETE FROM resolutions WHERE item = (SELECT id FROM items WHERE name = ?)
                """, [item])
        case .addresses:
            guard let url = String.fromDatabaseValue(key) else { return }
            // Originals that another item shows stay with that item's rows.
            try execute(
                database,
                "DELETE FROM originals WHERE urlHash = ? AND url = ? AND picture IS NULL",
                [OriginalRecord.hash(ofURL: url), url])
            purge.originals += database.changesCount
        case .pictures:
            guard let picture = Int64.fromDatabaseValue(key) else { return }
            try remove(database, picture, &purge, &blobs)
        }
    }

    private static func remove(
        _ database: Database, _ picture: Int64, _ purge: inout IndexPurge,
        _ blobs: inout Set<Digest>
    ) throws {
        let known = try select(
            database, "SELECT digest, source = '\(sheets)' FROM pictures WHERE id = ?",
            [picture]
        ) { (digest: try $0.nextDigest(), isSheet: try $0.next() as Bool) }.first
        guard let (digest, isSheet) = known else { return }
        // A contact sheet has no blob of this digest.
        if try !isSheet && isNamed(database, digest) { blobs.insert(digest) }
        let others = try select(
            database,
            """
            SELECT DISTINCT items.name
            FROM resolutions CROSS JOIN items ON items.id = resolutions.item
            WHERE resolutions.picture = ?
            """, [picture]
        ) { try $0.next() as String }
        purge.items.formUnion(others)
        blobs.formUnion(
            try select(
                database, "SELECT digest FROM thumbnails WHERE picture = ?", [picture]
            ) { try $0.nextDigest() })
        try execute(database, "DELETE FROM thumbnails WHERE picture = ?", [picture])
        purge.thumbnails += database.changesCount
        try execute(database, "DELETE FROM originals WHERE picture = ?", [picture])
        purge.originals += database.changesCount
        try execute(database, "DELETE FROM resolutions WHERE picture = ?", [picture])
        try execute(database, "DELETE FROM quarantine WHERE original = ?", [digest.data])
        try execute(database, "DELETE FROM pictures WHERE id = ?", [picture])
    }

    static func isNamed(_ database: Database, _ digest: Digest) throws -> Bool {
        let sql = """
            SELECT EXISTS (
                SELECT 1 FROM thumbnails WHERE \(digestMatches("thumbnails", "?1")))
            OR EXISTS (
                SELECT 1 FROM pictures WHERE \(digestMatches("pictures", "?1")) AND (
                    EXISTS (SELECT 1 FROM originals WHERE picture = pictures.id)
                    OR EXISTS (SELECT 1 FROM resolutions WHERE picture = pictures.id)))
            """
        return try select(database, sql, [digest.data]) { try $0.next() as Bool }.first ?? false
    }

    private static func count(
        _ database: Database, _ sql: String, _ values: [(any DatabaseValueConvertible)?]
    ) throws -> Int {
        try select(database, sql, values) { try $0.next() as Int }.first ?? 0
    }
}
