/// One song of an album.
package struct Track: Sendable, Equatable, Codable {
    package var title: String
    /// Number of the disc, from one.
    package var disc: Int?
    /// Position within its disc, from one.
    package var number: Int?
    /// Playing time.
    package var milliseconds: Int?

    package init(title: String, disc: Int? = nil, number: Int? = nil, milliseconds: Int? = nil) {
        self.title = title
        self.disc = disc
        self.number = number
        self.milliseconds = milliseconds
    }
}
