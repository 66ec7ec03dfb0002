import FoundationEssentials

/// One page of a list.
struct PageDocument: Encodable {
    var items: [ItemDocument]
    @Nullable var next: String?
    @Nullable var total: Int?
    var totalOf: Counted
    /// Pages of the source that were filtered for it; absent without filters.
    var searchedPages: Int?
    /// The directories in the one that is listed; absent for lists of other things.
    var directories: [DirectoryDocument]?
    var stale: Bool
    var fetchedAt: Date
    var expiresAt: Date

    /// What `total` counts.
    enum Counted: String, Encodable {
        /// The whole list at its source, whatever the filters let through.
        case list
        /// What the filters let through.
        case matches
    }
}

/// A directory of a folder.
struct DirectoryDocument: Encodable {
    /// Its path below the folder.
    var dir: String
    /// The list of its pictures.
    var url: String
}
