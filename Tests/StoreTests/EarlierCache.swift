import Foundation
import GRDB
import Hashing

@testable import Store

/// A cache as version 0.9 left it: `v1`, with databases, blobs and their count.
struct EarlierCache {
    let root: String
    /// Sizes of its blobs.
    static let sizes = [1_000_000, 3_000_000, 6_000_000, 10_000_000]

    var tree: String { root + "/v1" }
    var userData: String { tree + "/index/keepsakes.sqlite" }
    var disk: FileSystemSpace {
        get throws { try FileSystemSpace(of: root) }
    }

    /// - Parameter favorites: their number.
    init(in root: String, favorites: Int = 3) throws {
        self.root = root
        for directory in ["blobs", "index", "staging", "quarantine", "renders"] {
            try StoreLayout.makeDirectories("\(tree)/\(directory)")
        }
        for (number, size) in Self.sizes.enumerated() {
            let hex = Digest(of: [UInt8(number)]).hex
            let directory = "\(tree)/blobs/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))"
            try StoreLayout.makeDirectories(directory)
            try Data(count: size).write(to: URL(fileURLWithPath: "\(directory)/\(hex)"))
        }
        try makeUserData(favorites)
        let index = try DatabaseQueue(path: "\(tree)/index/pictures.sqlite")
        try index.write { try $0.execute(sql: "CREATE TABLE bindings (item TEXT)") }
        try index.close()
    }

    private func makeUserData(_ favorites: Int) throws {
        let database = try DatabasePool(path: userData)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE favorites (
                        item TEXT PRIMARY KEY, addedAt REAL NOT NULL,
                        position INTEGER NOT NULL DEFAULT 0) STRICT;
                    CREATE TABLE pins (item TEXT PRIMARY KEY, addedAt REAL NOT NULL) STRICT;
                    CREATE TABLE searches (
                        source TEXT NOT NULL, list TEXT NOT NULL, term TEXT NOT NULL,
                        madeAt REAL NOT NULL, parameters TEXT NOT NULL DEFAULT '{}',
                        UNIQUE (source, list, term, parameters)) STRICT;
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('favorites and searches'), ('pins'),
                        ('parameters of searches'), ('order of favorites');
                    INSERT INTO pins VALUES ('tvmaze/show/9', 1);
                    INSERT INTO searches VALUES ('tvmaze', 'search', 'dome', 1, '{}');
                    """)
            for number in 0..<favorites {
                try database.execute(
                    sql: "INSERT INTO favorites VALUES (?, ?, ?)",
                    arguments: ["tvmaze/show/\(number)", Double(number), -number])
            }
        }
        try database.close()
    }

    /// Writes the count that version 0.9 kept.
    func count(_ usage: DiskUsage) throws {
        var counts = LedgerCounts.empty(0)
        counts.set(.fan(0), to: usage, 0)
        // Its file ends before the place that this version added.
        let bytes = counts.bytes.prefix(CountedPlace.earlier.number * 32)
        try Data(bytes + [UInt8](repeating: 7, count: 48)).write(
            to: URL(fileURLWithPath: "\(tree)/ledger"))
    }

    /// The number of its blobs that are there.
    var blobs: Int {
        FileManager.default.enumerator(atPath: "\(tree)/blobs")?
            .count { ($0 as? String)?.count == 70 } ?? 0
    }
}

/// A store with its upkeep.
struct StoreSet {
    let blobs: BlobStore
    let index: Index
    let userData: UserData
    let upkeep: Upkeep

    init(_ root: String, budget: Int = .max) throws {
        var policy = StorePolicy()
        policy.limits = DiskLimits(bytes: budget, files: .max, minFree: 0)
        blobs = try BlobStore(root: root, policy: policy)
        index = try Index(root: root)
        userData = try UserData(root: root)
        upkeep = Upkeep(blobs: blobs, index: index, userData: userData)
    }

    func close() throws {
        try index.close()
        try userData.close()
    }
}
