/// An item as a list describes it.
package struct CatalogEntry: Sendable, Equatable, Codable {
    package var item: Item
    package var title: String
    /// Language tag of the title (`nl`, `en`), if the source names it.
    package var language: String?
    package var subtitle: String?
    /// The source's own number for people, such as `SK-C-5`.
    package var objectNumber: String?
    /// ISO 8601 date, or only a year.
    package var date: String?
    package var genres: [String]
    /// Plain text.
    package var summary: String?
    /// The item's page at the source, for people.
    package var link: String?
    /// The rights in the item, as a URL or a short text, if the source names them.
    package var rights: String?
    /// The texts by language tag (`nl`, `en`), for clients that prefer that language.
    ///
    /// Other clients get the entry's own texts.
    package var translations: [String: Translation]?
    /// The songs of an album in order; `nil` if the item has none or a list omitted them.
    package var tracks: [Track]?
    /// What it is made of and how, for people: `oil on canvas`.
    package var medium: String?
    /// Kind of object, such as `painting`.
    package var type: String?
    /// How it was made, such as `etching`; several are separated by commas.
    package var technique: String?
    /// What it is made of, such as `paper`; several are separated by commas.
    package var material: String?
    /// Its size, for people: `height 107 cm x width 82 cm`.
    package var dimensions: String?
    /// The line that the owner asks to be credited with.
    package var creditLine: String?
    /// Followers of an artist.
    package var followers: Int?
    /// Number of an album's songs.
    package var trackCount: Int?
    /// Playing time of an album.
    package var milliseconds: Int?

    /// The texts in one language.
    package struct Translation: Sendable, Equatable, Codable {
        package var title: String
        package var subtitle: String?
        /// The actual language of the title: many things have a title in one language only.
        package var language: String?
        package var summary: String?
        package var medium: String?
        package var type: String?
        package var technique: String?
        package var material: String?
        package var dimensions: String?
        package var creditLine: String?

        package init(title: String, subtitle: String? = nil, language: String? = nil) {
            self.title = title
            self.subtitle = subtitle
            self.language = language
        }
    }

    package init(item: Item, title: String) {
        self.item = item
        self.title = title
        self.genres = []
    }
}
