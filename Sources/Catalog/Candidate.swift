/// One URL an item's picture may come from.
package struct Candidate: Sendable, Hashable, Codable {
    /// https, on one of the source's hosts.
    package var url: String
    /// What it is, for people: `medium`, `original`, `main poster`.
    package var label: String
    /// Preference before size: all of rank 0 come before any of rank 1.
    package var rank: Int
    /// Pixels, where the source tells; `nil` counts as larger than any level.
    package var width: Int?
    package var height: Int?

    package init(url: String, label: String, rank: Int, width: Int? = nil, height: Int? = nil) {
        self.url = url
        self.label = label
        self.rank = rank
        self.width = width
        self.height = height
    }
}

/// One step of a chain: a URL to try, or another item whose chain goes on from here.
package enum ChainStep: Sendable, Hashable, Codable {
    case candidate(Candidate)
    case item(Item)
}

/// An item's details and its chain, as its source gave them.
package struct ItemDetails: Sendable, Equatable, Codable {
    package var entry: CatalogEntry
    /// In order of preference for no level in particular; ``orderedChain(forWidth:)`` orders it.
    package var chain: [ChainStep]

    package init(entry: CatalogEntry, chain: [ChainStep]) {
        self.entry = entry
        self.chain = chain
    }
}
