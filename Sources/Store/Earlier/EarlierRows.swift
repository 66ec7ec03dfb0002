import GRDB
import Glibc

/// Copies the rows of a database that an earlier version left, before the new file has its name: a
/// process that dies in between begins again. Calls block.
extension DatabaseForm {
    /// Where the rows are copied to.
    private var copy: String { path + ".moving" }
    /// What SQLite keeps beside a file.
    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// Makes the file with the rows of the earlier one, if only that is there. Call it under the opening
    /// lock. Returns whether it did.
    func moveEarlierRows(_ layout: StoreLayout) throws(StoreError) -> Bool {
        guard let earlier, access(path, F_OK) != 0, access(earlier, F_OK) == 0
        else { return false }
        try layout.refuseOtherKinds(at: earlier)
        removeCopy()
        do throws(StoreError) {
            try copyRows(from: earlier, layout)
        } catch {
            // Its thumbnails are worth less than what people have chosen.
            guard case .diskFull = error, try makeRoom(layout) else { throw error }
            removeCopy()
            try copyRows(from: earlier, layout)
        }
        try publish(layout)
        return true
    }

    private func copyRows(
        from earlier: String, _ layout: StoreLayout
    ) throws(StoreError) {
        do {
            try layout.prepareDatabase(copy)
            let target = try DatabaseQueue(path: copy)
            try migrator.migrate(target)
            do {
                try salvage(earlier, target)
            } catch let error as DatabaseError where error.isDamage {
                // What can be read is copied, and the file stays.
            }
            let complaints = try target.unsafeRead {
                try String.fetchAll($0, sql: "PRAGMA integrity_check(1)")
            }
            try target.close()
            guard complaints == ["ok"] else {
                throw StoreError.index(reason: "the copy of \(earlier) is not sound")
            }
        } catch {
            throw StoreError(index: error, layout, copy)
        }
    }

    /// Removes what version 0.9 can make again. Returns whether that gave room. The ledger counts it until all
    /// of the tree is gone: too much, never too little.
    private func makeRoom(_ layout: StoreLayout) throws(StoreError) -> Bool {
        try layout.trying("remove", layout.earlier.path) { () throws(Errno) in
            let disk = try FileSystemSpace(of: layout.tree)
            return try layout.earlier.free(Self.room, on: disk) != DiskUsage()
        }
    }

    /// More than favorites and searches take.
    private static let room = DiskUsage(bytes: 64 << 20)

    /// Gives the copy its name once it is on the disk.
    private func publish(_ layout: StoreLayout) throws(StoreError) {
        try layout.trying("publish", path) { () throws(Errno) in
            try FileDescriptor(opening: copy, O_RDONLY).synchronize()
            try Errno.check { rename(copy, path) }
            try FileDescriptor(opening: layout.index, O_RDONLY | O_DIRECTORY).synchronize()
        }
    }

    private func removeCopy() {
        for suffix in Self.suffixes { unlink(copy + suffix) }
    }
}
