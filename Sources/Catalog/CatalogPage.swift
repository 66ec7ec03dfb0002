/// What a list says about one item.
package struct CatalogEntry: Sendable, Equatable, Codable {
    package var item: Item
    package var title: String
    /// Language tag of the title (`nl`, `en`), where the source tells.
    package var language: String?
    package var subtitle: String?
    /// The source's own number for people, `SK-C-5`.
    package var objectNumber: String?
    /// ISO 8601 date, or only a year.
    package var date: String?
    package var genres: [String]
    /// Plain text.
    package var summary: String?
    /// Page for people at the source.
    package var link: String?
    /// Who holds which rights, a URL or a short text, where the source tells.
    package var rights: String?
    /// Title and subtitle as people see them who want that language, by language tag (`nl`, `en`);
    /// those of the entry itself are for everybody else.
    package var translations: [String: Translation]?
    /// The songs of an album in their order; `nil` where the item has none, or a list left them out.
    package var tracks: [Track]?

    package struct Translation: Sendable, Equatable, Codable {
        package var title: String
        package var subtitle: String?
        /// What language the title truly is in: many things have a title in one language only.
        package var language: String?

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

/// Which part of which list: `shows` with `page=0`, `search` with `q=…`.
package struct ListQuery: Sendable, Hashable, Codable {
    package var source: String
    /// Path below the source: `shows`, `movies/popular`, `artists/{id}/albums`.
    package var list: String
    /// The list's own parameters, validated; filters common to all lists are not among them.
    package var parameters: [String: String]

    package init(source: String, list: String, parameters: [String: String]) {
        self.source = source
        self.list = list
        self.parameters = parameters
    }
}

/// One page of a list as its source gave it.
package struct CatalogPage: Sendable, Equatable, Codable {
    package var items: [ItemDetails]
    /// The query of the next page; `nil` at the end.
    package var next: ListQuery?
    package var total: Int?
    /// Index of the first item within its list, or the most it can be where only the sizes of the
    /// pages before tell (TVMaze: 250 a page).
    package var firstIndex: Int?

    package init(
        items: [ItemDetails], next: ListQuery?, total: Int? = nil, firstIndex: Int? = nil
    ) {
        self.items = items
        self.next = next
        self.total = total
        self.firstIndex = firstIndex
    }
}
