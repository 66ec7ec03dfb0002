/// One URL that an item's picture may come from.
package struct Candidate: Sendable, Hashable, Codable {
    /// An https URL on one of the source's hosts.
    package var url: String
    /// A name for people: `medium`, `original`, `main poster`.
    package var label: String
    /// Order of preference, ahead of size: all of rank 0 come before any of rank 1.
    package var rank: Int
    /// Pixels, if the source names them. `nil` counts as larger than any level.
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

/// The pixels that a picture should cover, which is a level's box.
package struct PictureBox: Sendable, Hashable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

/// One step of a chain: a URL, a server that makes any size, or another item with its own chain.
package enum ChainStep: Sendable, Hashable, Codable {
    case candidate(Candidate)
    case scalable(ScalableCandidate)
    case item(Item)
}

/// An item's details and its chain, as its source gave them.
package struct ItemDetails: Sendable, Equatable, Codable {
    package var entry: CatalogEntry
    /// Steps in their general order of preference. ``orderedChain(for:)`` orders them for a level.
    package var chain: [ChainStep]
    /// Why the chain is empty, as a sentence for people, if the source says so.
    package var absence: String?
    /// Why better pictures may be missing, as a sentence for people, if part of the chain could not
    /// be read.
    package var unread: String?
    /// False if a list described the item but not its pictures. Its details are then fetched when
    /// they are needed.
    package var isResolved: Bool
    /// False if a list omitted parts of the entry that only the item's details contain, such as an
    /// album's songs. The item's picture doesn't need them.
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
