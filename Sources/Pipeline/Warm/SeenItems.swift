package import Catalog

/// The items of a run so far, numbered from 0 in the order of their first rows, by 64 bits of their hash: a
/// list of any length takes some tens of megabytes. Of a longer list the oldest are forgotten. A repeated
/// item is then found fresh in the store.
package struct SeenItems {
    private let limit: Int
    private var newer: [Int: Int] = [:]
    private var older: [Int: Int] = [:]
    /// Number of items.
    private var count = 0

    /// - Parameter limit: of the items of one generation; two are kept.
    package init(limit: Int = 1 << 19) { self.limit = max(1, limit) }

    /// Returns whether the item is new, and remembers it.
    package mutating func insert(_ item: Item) -> Bool { number(item).isNew }

    /// Returns the number of an item, and whether it is new. Remembers it.
    package mutating func number(_ item: Item) -> (number: Int, isNew: Bool) {
        let hash = item.hashValue
        if let known = newer[hash] ?? older[hash] { return (known, false) }
        newer[hash] = count
        count += 1
        if newer.count >= limit {
            older = newer
            newer = [:]
        }
        return (count - 1, true)
    }
}
