/// The response to a search: a page of ids.
struct MuseumSearchPage: Decodable {
    let total: Int?
    /// Link to the next page, as given.
    let next: String?
    /// The objects in the page's order, without duplicates.
    let objects: [MuseumLink]

    private enum Key: String, CodingKey { case partOf, next, orderedItems }

    private struct Collection: Decodable {
        let total: Int?

        private enum Key: String, CodingKey { case totalItems }

        init(from decoder: any Decoder) throws {
            total = try decoder.container(keyedBy: Key.self).count(.totalItems)
        }
    }

    init(from decoder: any Decoder) throws {
        let header = try LinkedArtHeader(from: decoder)
        let fields = try decoder.container(keyedBy: Key.self)
        // A search without results has an empty list. A response without a list is something else.
        guard fields.contains(.orderedItems) || header.types.contains("OrderedCollectionPage")
        else {
            throw DecodingError.keyNotFound(
                Key.orderedItems,
                .init(codingPath: fields.codingPath, debugDescription: "not a page of a search"))
        }
        total = fields.all(Collection.self, .partOf).compactMap(\.total).first
        next = fields.ids(.next).first
        var seen: Set<MuseumLink> = []
        objects = fields.ids(.orderedItems).compactMap { MuseumLink($0) }
            .filter { seen.insert($0).inserted }
    }
}
