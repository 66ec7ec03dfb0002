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
    /// Title and subtitle by language tag (`nl`, `en`), for clients that prefer that language.
    ///
    /// Other clients get the entry's own title and subtitle.
    package var translations: [String: Translation]?
    /// The songs of an album in order; `nil` if the item has none or a list omitted them.
    package var tracks: [Track]?

    /// Title and subtitle in one language.
    package struct Translation: Sendable, Equatable, Codable {
        package var title: String
        package var subtitle: String?
        /// The actual language of the title: many things have a title in one language only.
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

/// One part of one list: `shows` with `page=0`, `search` with `q=…`.
package struct ListQuery: Sendable, Hashable, Codable {
    package var source: String
    /// Path below the source: `shows`, `movies/popular`, `artists/{id}/albums`.
    package var list: String
    /// The list's own parameters, validated. The filters common to all lists are not included.
    package var parameters: [String: String]

    package init(source: String, list: String, parameters: [String: String]) {
        self.source = source
        self.list = list
        self.parameters = parameters
    }
}

/// One page of a list, as its source returned it.
package struct CatalogPage: Sendable, Equatable, Codable {
    package var items: [ItemDetails]
    /// The query of the next page; `nil` on the last page.
    package var next: ListQuery?
    /// Number of items in the whole list, if the source names it.
    package var total: Int?
    /// Index of the page's first item within its list.
    ///
    /// It is an upper bound if only the sizes of the earlier pages are known (TVMaze: 250 per
    /// page).
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
