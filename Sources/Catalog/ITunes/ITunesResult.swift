import Fetch

/// An answer of the API to a search or a look-up.
struct ITunesPage: Decodable {
    var resultCount: Int?
    var results: [Lenient<ITunesResult>]

    private enum Key: String, CodingKey { case resultCount, results }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        resultCount = fields.lenient(Int.self, .resultCount)
        results = try fields.decode([Lenient<ITunesResult>].self, forKey: .results)
    }
}

/// One result: a look-up mixes albums, songs, videos and artists. Everything may be missing, null or
/// of an odd type.
struct ITunesResult: Decodable {
    private var wrapperType: String?
    private var kind: String?
    private var collectionID: Int?
    private var collectionName: String?
    private var artistName: String?
    private var collectionViewURL: String?
    private var releaseDate: String?
    private var genre: String?
    private var copyright: String?
    private var trackName: String?
    private var discNumber: Int?
    private var trackNumber: Int?
    private var milliseconds: Int?
    let artwork: ITunesArtwork

    private enum Key: String, CodingKey {
        case wrapperType, kind, collectionName, artistName, releaseDate, copyright, trackName
        case discNumber, trackNumber, artworkUrl100, artworkUrl60
        case collectionID = "collectionId"
        case collectionViewURL = "collectionViewUrl"
        case genre = "primaryGenreName"
        case milliseconds = "trackTimeMillis"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        wrapperType = fields.lenient(String.self, .wrapperType)
        kind = fields.lenient(String.self, .kind)
        collectionID = fields.lenient(Int.self, .collectionID).flatMap { $0 > 0 ? $0 : nil }
        collectionName = fields.lenient(String.self, .collectionName)
        artistName = fields.lenient(String.self, .artistName)
        collectionViewURL = fields.lenient(String.self, .collectionViewURL)
        releaseDate = fields.lenient(String.self, .releaseDate)
        genre = fields.lenient(String.self, .genre)
        copyright = fields.lenient(String.self, .copyright)
        trackName = fields.lenient(String.self, .trackName)
        discNumber = fields.lenient(Int.self, .discNumber)
        trackNumber = fields.lenient(Int.self, .trackNumber)
        milliseconds = fields.lenient(Int.self, .milliseconds)
        artwork = ITunesArtwork(
            wide: fields.lenient(String.self, .artworkUrl100),
            small: fields.lenient(String.self, .artworkUrl60))
    }

    /// Without its songs; `nil` where the result is something else.
    var album: ItemDetails? {
        guard wrapperType == "collection", let collectionID else { return nil }
        var entry = CatalogEntry(
            item: Item(source: "itunes", kind: "album", id: "\(collectionID)"),
            title: collectionName?.trimmed.nonEmpty ?? "Album \(collectionID)")
        entry.subtitle = artistName?.trimmed.nonEmpty
        // A moment of the store's own time zone; its day is what shops show.
        entry.date = releaseDate.flatMap { String($0.prefix { $0 != "T" }).partialDate }
        entry.genres = [genre?.trimmed.nonEmpty].compactMap(\.self)
        entry.link = collectionViewURL.flatMap { CheckedURL($0, hosts: ITunes.siteHosts)?.text }
        entry.rights = copyright?.trimmed.nonEmpty
        return ItemDetails(entry: entry, chain: artwork.chain, isComplete: false)
    }

    /// `nil` where the result is something else; videos come with their album's songs.
    var song: Track? {
        guard wrapperType == "track", kind == "song" else { return nil }
        return Track(
            title: trackName?.trimmed.nonEmpty ?? "Track \(trackNumber ?? 0)", disc: discNumber,
            number: trackNumber, milliseconds: milliseconds)
    }

    /// By disc, then by number; those without come last, and equals stay as they came.
    static func inOrder(_ tracks: [Track]) -> [Track] {
        tracks.enumerated()
            .sorted { left, right in
                func key(_ track: Track) -> (Int, Int) {
                    (track.disc ?? .max, track.number ?? .max)
                }
                let (former, latter) = (key(left.element), key(right.element))
                return former == latter ? left.offset < right.offset : former < latter
            }
            .map(\.element)
    }
}
