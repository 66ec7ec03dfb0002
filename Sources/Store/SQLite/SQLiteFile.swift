import GRDB
import Glibc
import Hashing

/// A database file: its modes and addresses, and the meaning of SQLite's errors.
enum SQLiteFile {
    /// Creates a missing file with the owner's rights only, and removes the rights of others from
    /// existing files. Call it under the opening lock.
    ///
    /// An existing file is never opened, because closing it would release the locks that SQLite
    /// holds on it in this process.
    static func prepare(_ path: String, _ layout: StoreLayout) throws(StoreError) {
        for name in [path, path + "-wal", path + "-shm"] {
            try layout.trying("open", name) { () throws(Errno) in
                if let status = try fileStatus(name) {
                    guard status.isRegular, status.st_uid == geteuid(), status.st_mode & 0o077 != 0
                    else { return }
                    try Errno.check { chmod(name, FileDescriptor.fileMode) }
                } else if name == path {
                    _ = try FileDescriptor(opening: name, O_CREAT | O_EXCL | O_RDWR)
                }
            }
        }
    }

    /// Returns addresses that open a file read-only, the better one first.
    static func readOnlyAddresses(_ path: String) -> [String] {
        ["mode=ro", "immutable=1"].map { "file:\(PercentCoding.encoded(path, keeping: "/"))?\($0)" }
    }
}

extension DatabaseError {
    /// Whether the file is not a database or is damaged.
    var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
    /// Another connection has the lock.
    var isBusy: Bool { resultCode == .SQLITE_BUSY }
}

extension StoreError {
    /// Converts an error of SQLite.
    init(index error: any Error, _ layout: StoreLayout) {
        switch error {
        case let error as StoreError:
            self = error
        case let error as DatabaseError:
            // Never `error.description`: that has the statement with its values.
            let reason = error.message ?? "\(error.resultCode)"
            switch error.resultCode {
            case .SQLITE_FULL:
                self = .diskFull(path: layout.root)
            case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
                self = .unusable(path: layout.root, reason: reason)
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                self = .index(
                    reason:
                        "another process kept it locked for \(Int(StorePolicy.defaultLockTimeout)) s"
                )
            default:
                self = .index(reason: reason)
            }
        default:
            self = .index(reason: "\(error)")
        }
    }
}
