import GRDB

/// What distinguishes the databases of the store.
struct DatabaseForm: Sendable {
    /// For debuggers.
    var label: String
    var path: String
    /// Where an earlier version kept rows that can't be made again.
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
