import FoundationEssentials

/// One page of a list.
struct PageDocument: Encodable {
    var items: [ItemDocument]
    @Nullable var next: String?
    @Nullable var total: Int?
    var totalOf: Counted
    /// Pages of the source that were filtered for it; absent without filters.
    var searchedPages: Int?
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
