/// A source's tab in the gallery. Its lists are those of the source that have a name for it, and its search.
package struct SourceTab: Sendable, Equatable {
    /// What a tab shows whose name the page has in each of its languages. These tabs come after the operator's own, in
    /// this order.
    package enum Subject: String, Sendable, CaseIterable {
        case shows, films, artworks, albums, artists
    }

    /// A part of a credit.
    package enum Credit: Sendable, Equatable {
        case text(String)
        case link(String, to: String)
    }

    /// Nil for a tab that has its source's title.
    package var subject: Subject?
    /// Width and height of most pictures, as a ratio.
    package var shape: PictureBox
    /// Whether pictures come in rows of one height, because their shapes differ.
    package var isInRows = false
    /// Whether titles come in several languages.
    package var hasLanguages = false
    /// Search words for visitors who don't know any, if there is nothing else to look at.
    package var suggestions: [String] = []
    /// Whose data and pictures these are; empty if nothing is said.
    package var credit: [Credit]

    static let posters = PictureBox(width: 2, height: 3)
    static let squares = PictureBox(width: 1, height: 1)
}
