package import Catalog

/// The items of a run so far, by 64 bits of their hash: a list of any length takes a few megabytes.
/// Of a longer list the oldest are forgotten. A repeated item is then found fresh in the store.
package struct SeenItems {
    private let limit: Int
    private var newer: Set<Int> = []
    private var older: Set<Int> = []

    /// - Parameter limit: of the items of one generation; two are kept.
    package init(limit: Int = 1 << 19) { self.limit = max(1, limit) }

    /// Returns whether the item is new, and remembers it.
    package mutating func insert(_ item: Item) -> Bool {
        let hash = item.hashValue
        guard !older.contains(hash), newer.insert(hash).inserted else { return false }
        if newer.count >= limit {
            older = newer
            newer = []
        }
        return true
    }
}
