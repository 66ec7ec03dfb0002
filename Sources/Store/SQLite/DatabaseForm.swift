import GRDB

/// What distinguishes the databases of the store.
struct DatabaseForm: Sendable {
    /// For debuggers.
    var label: String
    var path: String
    /// Where an earlier layout kept these rows, which can't be made again.
    var earlier: String?
    /// Reading connections. Each caches up to 2 MB of pages.
    var readers: Int
    var migrator: DatabaseMigrator
    /// Tables that a sound file has.
    var tables: [String]
    /// Whether lost rows can be made again. Then the file serves while rows of a damaged one are
    /// copied, and it keeps space for transactions that free space.
    var isRebuildable: Bool
    /// Copies the readable rows of a damaged file, at a path, into a new one.
    var salvage: @Sendable (String, any DatabaseWriter) throws -> Void
}

extension DatabaseError {
    /// Whether the file is not a database or is damaged.
    var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
    /// Another connection has the lock.
    var isBusy: Bool { resultCode == .SQLITE_BUSY }
}

extension StoreError {
    /// Converts an error of SQLite about the database at a path.
    init(index error: any Error, _ layout: StoreLayout, _ path: String) {
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
                self = layout.databaseError(path, reason: reason)
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
