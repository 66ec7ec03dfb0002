import GRDB
import Glibc

/// Copies a database that an earlier layout left, before the new file has its name: a process that dies in
/// between begins again. Calls block.
extension DatabaseForm {
    /// Where the rows are copied to.
    private var copyPath: String { path + ".moving" }
    /// What SQLite keeps beside a file.
    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// Makes the file from the earlier one, if only that is there. Call it under the opening lock. Returns
    /// whether it did.
    func moveEarlierRows(_ layout: StoreLayout) throws(StoreError) -> Bool {
        guard let earlier, access(path, F_OK) != 0, access(earlier, F_OK) == 0
        else { return false }
        try layout.refuseOtherKinds(at: earlier)
        if try !copyWhole(earlier, layout) { try copyReadable(earlier, layout) }
        try publish(layout)
        return true
    }

    /// Copies the file as it is, and changes its tables as any file of an earlier version. Returns false if it
    /// is damaged.
    private func copyWhole(_ earlier: String, _ layout: StoreLayout) throws(StoreError) -> Bool {
        try copy(layout) { target in
            var configuration = Configuration()
            configuration.readonly = true
            do {
                let source = try DatabaseQueue(path: earlier, configuration: configuration)
                try source.backup(to: target)
                try source.close()
                guard try Self.isSound(target) else { return false }
                try migrator.migrate(target)
                return true
            } catch let error as DatabaseError where error.isDamage {
                return false
            }
        }
    }

    /// Copies the rows that can be read into new tables. The damaged file stays.
    private func copyReadable(_ earlier: String, _ layout: StoreLayout) throws(StoreError) {
        let isSound = try copy(layout) { target in
            try migrator.migrate(target)
            do {
                try salvage(earlier, target)
            } catch let error as DatabaseError where error.isDamage {
                // No row can be read.
            }
            return try Self.isSound(target)
        }
        if !isSound { throw .index(reason: "the copy of \(earlier) is not sound") }
    }

    /// Makes a new file for `fill`, and returns what that does. The file is whole without a log beside it.
    private func copy(
        _ layout: StoreLayout, _ fill: (DatabaseQueue) throws -> Bool
    ) throws(StoreError) -> Bool {
        for suffix in Self.suffixes { unlink(copyPath + suffix) }
        do {
            try layout.prepareDatabase(copyPath)
            let target = try DatabaseQueue(path: copyPath)
            let result = try fill(target)
            if result {
                try target.writeWithoutTransaction { database in
                    try database.execute(sql: "PRAGMA journal_mode = DELETE")
                }
            }
            try target.close()
            return result
        } catch {
            throw StoreError(index: error, layout, copyPath)
        }
    }

    private static func isSound(_ database: DatabaseQueue) throws -> Bool {
        try database.unsafeRead {
            try String.fetchAll($0, sql: "PRAGMA integrity_check(1)")
        } == ["ok"]
    }

    /// Gives the copy its name once it is on the disk.
    private func publish(_ layout: StoreLayout) throws(StoreError) {
        try layout.trying("publish", path) { () throws(Errno) in
            try FileDescriptor(opening: copyPath, O_RDONLY).synchronize()
            try Errno.check { rename(copyPath, path) }
            try FileDescriptor(opening: layout.index, O_RDONLY | O_DIRECTORY).synchronize()
        }
    }
}
