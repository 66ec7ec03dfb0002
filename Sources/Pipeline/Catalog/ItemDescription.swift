package import Catalog
package import FoundationEssentials

/// What a catalog told one node about an item, for another node, which then doesn't ask it again.
package struct ItemDescription: Sendable, Equatable, Codable {
    package var details: ItemDetails
    package var fetchedAt: Date

    package init(_ details: ItemDetails, fetchedAt: Date) {
        self.details = details
        self.fetchedAt = fetchedAt
    }

    package var item: Item { details.entry.item }

    /// The item that the catalog has to be asked for before any candidate; nil if there is none.
    package var link: Item? {
        if case .item(let item)? = details.chain.first { item } else { nil }
    }
}
