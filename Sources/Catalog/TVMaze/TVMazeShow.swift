import Fetch

/// A show in the API's form. Any field except the id may be missing, null or of an odd type.
struct TVMazeShow: Decodable {
    /// Size of a poster that the API calls medium, in pixels. The address doesn't contain it.
    static let mediumPoster = (width: 210, height: 295)

    private var id: Int
    private var name: String?
    private var url: String?
    private var premiered: String?
    private var genres: [String]
    private var summary: String?
    private var channel: String?
    private var medium: String?
    private var original: String?

    private enum Key: String, CodingKey {
        case id, name, url, premiered, genres, summary, network, webChannel, image
    }

    private struct Channel: Decodable {
        var name: String?
    }

    private struct Image: Decodable {
        var medium: String?
        var original: String?

        private enum Key: String, CodingKey { case medium, original }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            medium = fields.lenient(String.self, .medium)
            original = fields.lenient(String.self, .original)
        }
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        id = try fields.decode(Int.self, forKey: .id)
        guard (1...9_999_999_999).contains(id) else {
            throw fields.mismatch(.id, "not a show's id")
        }
        name = fields.lenient(String.self, .name)
        url = fields.lenient(String.self, .url)
        premiered = fields.lenient(String.self, .premiered)
        genres = fields.lenientArray(String.self, .genres)
        summary = fields.lenient(String.self, .summary)
        channel =
            fields.lenient(Channel.self, .network)?.name
            ?? fields.lenient(Channel.self, .webChannel)?.name
        let image = fields.lenient(Image.self, .image)
        medium = image?.medium
        original = image?.original
    }

    /// The show's entry and its chain: the medium picture, then the original.
    var details: ItemDetails {
        var entry = CatalogEntry(
            item: Item(source: "tvmaze", kind: "show", id: String(id)),
            title: name?.trimmed.nonEmpty ?? "Show \(id)")
        entry.subtitle = channel?.trimmed.nonEmpty
        entry.date = premiered?.partialDate
        entry.genres = genres.map(\.trimmed).filter { !$0.isEmpty }
        entry.summary = summary.flatMap { HTMLText($0).plain.nonEmpty }
        entry.link = url.flatMap { CheckedURL($0, hosts: TVMazeHosts.sites)?.text }
        var chain: [ChainStep] = []
        if let url = medium.flatMap({ CheckedURL($0, hosts: [TVMazeHosts.images]) }) {
            let size = Self.mediumPoster
            chain.append(
                .candidate(
                    Candidate(
                        url: url.text, label: "medium", rank: 0, width: size.width,
                        height: size.height)))
        }
        if let url = original.flatMap({ CheckedURL($0, hosts: [TVMazeHosts.images]) }) {
            chain.append(.candidate(Candidate(url: url.text, label: "original", rank: 0)))
        }
        return ItemDetails(entry: entry, chain: chain)
    }
}

/// One search result.
struct TVMazeHit: Decodable {
    var show: TVMazeShow
}
