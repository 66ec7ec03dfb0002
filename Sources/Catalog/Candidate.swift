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

/// The pixels that a picture should cover: a level's box.
package struct PictureBox: Sendable, Hashable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

/// One step of a chain: a URL to try, a server that makes any size, or another item whose chain
/// goes on from here.
package enum ChainStep: Sendable, Hashable, Codable {
    case candidate(Candidate)
    case scalable(ScalableCandidate)
    case item(Item)
}

/// An item's details and its chain, as its source gave them.
package struct ItemDetails: Sendable, Equatable, Codable {
    package var entry: CatalogEntry
    /// In order of preference for no level in particular; ``orderedChain(for:)`` orders it.
    package var chain: [ChainStep]
    /// Why the chain is empty, a sentence for people, where the source tells.
    package var absence: String?
    /// Why better pictures may be missing from the chain, a sentence for people, where a part of it
    /// could not be read.
    package var unread: String?
    /// False where a list told of the item but not of its pictures: its details are asked for when
    /// they are wanted.
    package var isResolved: Bool
    /// False where a list left out of the entry what only the item's own details tell, an album's
    /// songs. Its picture needs no more.
    package var isComplete: Bool

    package init(
        entry: CatalogEntry, chain: [ChainStep], isResolved: Bool = true, isComplete: Bool = true
    ) {
        self.entry = entry
        self.chain = chain
        self.isResolved = isResolved
        self.isComplete = isComplete
    }
}
