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
