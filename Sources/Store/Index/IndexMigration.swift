import GRDB
import Glibc

/// What was copied of an earlier index.
package struct IndexMigration: Sendable, Equatable {
    /// Whether there is an earlier index.
    package var isFound = false
    package var originals = 0
    package var thumbnails = 0
    package var bindings = 0
    package var documents = 0
    /// Whether the earlier index was removed.
    package var isRemoved = false

    package init() {}
}

extension Index {
    /// Copies the rest of the earlier index, and removes its files with `finishing`. Earlier
    /// versions of the program start with an empty index afterwards.
    package func migrate(finishing: Bool) async throws(StoreError) -> IndexMigration {
        try await earlier?.finish()
        var migration = try await read { database in
            var migration = IndexMigration()
            let sql = "SELECT kind, copied FROM imports"
            for (kind, copied) in try IndexRows.select(
                database, sql, [], { (try $0.next() as String, try $0.next() as Int) })
            {
                switch EarlierRows.Table(rawValue: kind) {
                case .originals: migration.originals = copied
                case .thumbnails: migration.thumbnails = copied
                case .bindings: migration.bindings = copied
                case .documents: migration.documents = copied
                case .summaries, .quarantine, nil: break
                }
            }
            return migration
        }
        let path = layout.earlierDatabase
        migration.isFound = access(path, F_OK) == 0
        guard finishing, migration.isFound else { return migration }
        guard try await read({ try ImportProgress.isDone($0) }) else {
            throw .index(reason: "the earlier index \(path) can't be read; remove it by hand")
        }
        try await threads.run { [layout] () throws(StoreError) in
            // The log first, because SQLite would replay it into another file of that name.
            for suffix in ["-wal", "-shm", ""] {
                try layout.trying("remove", path + suffix) { () throws(Errno) in
                    do throws(Errno) {
                        try Errno.check { unlink(path + suffix) }
                    } catch {
                        if error.code != ENOENT { throw error }
                    }
                }
            }
        }
        migration.isRemoved = true
        return migration
    }

    /// Copies the rest of the earlier index before rows are removed, so that none comes back. If
    /// the disk is full, the rest is given up: its pictures are made again.
    func finishImport() async throws(StoreError) {
        guard let earlier, earlier.isRunning else { return }
        do throws(StoreError) {
            try await earlier.finish()
        } catch {
            guard case .diskFull = error else { throw error }
            try await freeing { try ImportProgress.end($0) }
            try await earlier.end()
        }
    }
}
