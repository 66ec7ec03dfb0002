import Fetch

/// An artist or an album in the API's form, in full or as part of a list. Any field except the id
/// may be missing, null or of an odd type.
struct SpotifyEntity: Decodable {
    private var id: String
    private var name: String?
    private var genres: [String]
    private var artists: [Artist]
    private var releaseDate: String?
    private var link: String?
    private var images: [SpotifyImage]
    private var followers: Int?
    private var trackCount: Int?

    private enum Key: String, CodingKey {
        case id, name, genres, artists, images, followers
        case trackCount = "total_tracks"
        case releaseDate = "release_date"
        case links = "external_urls"
    }

    private struct Artist: Decodable {
        var name: String
    }

    private struct Followers: Decodable {
        var total: Int?

        private enum Key: String, CodingKey { case total }

        init(from decoder: any Decoder) throws {
            total = try decoder.container(keyedBy: Key.self).count(.total)
        }
    }

    private struct Links: Decodable {
        var spotify: String?
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        id = try fields.decode(String.self, forKey: .id)
        guard Self.isID(id) else {
            throw fields.mismatch(.id, "not a Spotify id")
        }
        name = fields.lenient(String.self, .name)
        genres = fields.lenientArray(String.self, .genres)
        artists = fields.lenientArray(Artist.self, .artists)
        releaseDate = fields.lenient(String.self, .releaseDate)
        link = fields.lenient(Links.self, .links)?.spotify
        followers = fields.lenient(Followers.self, .followers)?.total
        trackCount = fields.number(.trackCount, in: Bounds.place)
        images = fields.lenientArray(SpotifyImage.self, .images)
    }

    func details(kind: String) -> ItemDetails {
        var entry = CatalogEntry(
            item: Item(source: "spotify", kind: kind, id: id),
            title: name?.trimmed.nonEmpty ?? "\(kind == "artist" ? "Artist" : "Album") \(id)")
        entry.subtitle =
            artists.compactMap(\.name.trimmed.nonEmpty).joined(separator: ", ")
            .nonEmpty
        // The API writes an unknown date with zeros.
        entry.date = releaseDate?.partialDate.flatMap { $0.hasPrefix("0000") ? nil : $0 }
        entry.genres = genres.compactMap(\.trimmed.nonEmpty)
        entry.link = link.flatMap { CheckedURL($0, hosts: [SpotifyHosts.site])?.text }
        entry.followers = followers
        entry.trackCount = trackCount
        return ItemDetails(entry: entry, chain: images.compactMap(\.step))
    }

    /// Returns whether the text may be an id: base 62, today 22 letters and digits.
    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
            }
    }
}

/// A picture in one size. The API lists the widest first, often three, sometimes none.
struct SpotifyImage: Decodable {
    private var url: String
    private var width: Int?
    private var height: Int?

    private enum Key: String, CodingKey { case url, width, height }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        url = try fields.decode(String.self, forKey: .url)
        width = fields.pixels(.width)
        height = fields.pixels(.height)
    }

    /// `nil` if the URL is not on Spotify's image host.
    var step: ChainStep? {
        guard let url = CheckedURL(url, hosts: [SpotifyHosts.images]) else { return nil }
        let size = width.flatMap { width in height.map { " \(width)×\($0)" } }
        return .candidate(
            Candidate(
                url: url.text, label: "image\(size ?? "")", rank: 0, width: width, height: height))
    }
}

/// A page of a list.
struct SpotifyPaging: Decodable {
    /// The API rejects searches past the first thousand items.
    static let offsets = 0...990

    var items: [Lenient<SpotifyEntity>]
    var total: Int?
    private var next: String?

    private enum Key: String, CodingKey { case items, total, next }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        items = try fields.decode([Lenient<SpotifyEntity>].self, forKey: .items)
        total = fields.count(.total)
        next = fields.lenient(String.self, .next)
    }

    /// Returns the offset of the next page; `nil` at the end, or if the link to the next page has
    /// another host or doesn't lead forward.
    ///
    /// Only the offset is taken from the link, because it writes the other parameters differently.
    func nextOffset(after offset: Int) -> Int? {
        guard let next, let url = CheckedURL(next, hosts: [SpotifyHosts.api]),
            let query = url.text.split(separator: "?", maxSplits: 1).dropFirst().first,
            let field = query.split(separator: "&").first(where: { $0.hasPrefix("offset=") }),
            let number = Int(field.dropFirst("offset=".count)), number > offset,
            Self.offsets.contains(number)
        else { return nil }
        return number
    }
}

/// The response to a search for artists.
struct SpotifySearch: Decodable {
    var artists: SpotifyPaging
}
