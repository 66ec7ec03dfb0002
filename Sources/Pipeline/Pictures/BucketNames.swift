import Catalog
import FoundationEssentials
import Memory

/// Which keys of buckets have an object, as far as this process has found out. Never waits; any thread.
final class BucketNames: Sendable {
    enum Standing: Sendable {
        case present
        /// Another key or format may answer for the name until then.
        case absent(until: Date)
    }

    /// Names that are kept, about 200 bytes each.
    private static let most = 20_000

    private let standings = MemoryTier<Item, Standing>(maxCost: most, maxCount: most)

    func note(_ item: Item, _ standing: Standing) { standings.insert(standing, for: item, cost: 1) }

    func standing(of item: Item) -> Standing? { standings.value(item) }

    func forget(_ scope: PurgeScope) {
        switch scope {
        case .item(let item): standings.remove(item)
        case .source(let name): standings.removeAll { $0.source == name }
        case .all: standings.removeAll { _ in true }
        }
    }
}
