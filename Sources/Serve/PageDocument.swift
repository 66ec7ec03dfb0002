import FoundationEssentials

/// One page of a list.
struct PageDocument: Encodable {
    var items: [ItemDocument]
    @Nullable var next: String?
    @Nullable var total: Int?
    var stale: Bool
    var fetchedAt: Date
    var expiresAt: Date
}
