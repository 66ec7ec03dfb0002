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
