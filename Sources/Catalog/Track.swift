/// One song of an album.
package struct Track: Sendable, Equatable, Codable {
    package var title: String
    /// Counted from one.
    package var disc: Int?
    /// Within its disc, counted from one.
    package var number: Int?
    package var milliseconds: Int?

    package init(title: String, disc: Int? = nil, number: Int? = nil, milliseconds: Int? = nil) {
        self.title = title
        self.disc = disc
        self.number = number
        self.milliseconds = milliseconds
    }
}
