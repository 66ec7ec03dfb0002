import Fetch

/// The API's response to a search or a lookup.
struct ITunesPage: Decodable {
    var resultCount: Int?
    var results: [Lenient<ITunesResult>]

    private enum Key: String, CodingKey { case resultCount, results }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        resultCount = fields.count(.resultCount)
        results = try fields.decode([Lenient<ITunesResult>].self, forKey: .results)
    }
}

/// One result. A lookup mixes albums, songs, videos and artists. Any field may be missing, null or
/// of an odd type.
struct ITunesResult: Decodable {
    private var wrapperType: String?
    private var kind: String?
    private var collectionID: Int?
    private var collectionName: String?
    private var artistName: String?
    /// Set for a song on an album of several artists.
    private var albumArtist: String?
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
        case albumArtist = "collectionArtistName"
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
        albumArtist = fields.lenient(String.self, .albumArtist)
        collectionViewURL = fields.lenient(String.self, .collectionViewURL)
        releaseDate = fields.lenient(String.self, .releaseDate)
        genre = fields.lenient(String.self, .genre)
        copyright = fields.lenient(String.self, .copyright)
        trackName = fields.lenient(String.self, .trackName)
        discNumber = fields.number(.discNumber, in: Bounds.place)
        trackNumber = fields.number(.trackNumber, in: Bounds.place)
        milliseconds = fields.number(.milliseconds, in: Bounds.milliseconds)
        artwork = ITunesArtwork(
            wide: fields.lenient(String.self, .artworkUrl100),
            small: fields.lenient(String.self, .artworkUrl60))
    }

    /// The album without its songs; `nil` if the result is not an album.
    var album: ItemDetails? {
        wrapperType == "collection" ? collection(by: artistName) : nil
    }

    /// Returns the album as described by its songs, for responses that omit the album itself. Each
    /// song names the album, its store page and its artwork. `nil` if no song belongs to the album.
    static func album(_ item: Item, bySongs results: [ITunesResult]) -> ItemDetails? {
        let songs = results.filter {
            $0.song != nil && $0.collectionID.map { "\($0)" } == item.id
        }
        // Prefer a song that names the artwork.
        guard let song = songs.first(where: { !$0.artwork.chain.isEmpty }) ?? songs.first else {
            return nil
        }
        let artists = Set(songs.compactMap { $0.albumArtist ?? $0.artistName })
        guard var album = song.collection(by: artists.count == 1 ? artists.first : nil) else {
            return nil
        }
        // Songs may be published before their album, so the latest day is the album's.
        album.entry.date = songs.compactMap(\.day).max()
        // The rights are those of the song, and the link's query names the song.
        album.entry.rights = nil
        album.entry.link = album.entry.link.map { String($0.prefix { $0 != "?" }) }
        return album
    }

    /// The day of the release. The time of day is in the store's time zone and is ignored.
    private var day: String? {
        releaseDate.flatMap { String($0.prefix { $0 != "T" }).partialDate }
    }

    private func collection(by artist: String?) -> ItemDetails? {
        guard let collectionID else { return nil }
        var entry = CatalogEntry(
            item: Item(source: "itunes", kind: "album", id: "\(collectionID)"),
            title: collectionName?.trimmed.nonEmpty ?? "Album \(collectionID)")
        entry.subtitle = artist?.trimmed.nonEmpty
        entry.date = day
        entry.genres = [genre?.trimmed.nonEmpty].compactMap(\.self)
        entry.link = collectionViewURL.flatMap { CheckedURL($0, hosts: ITunesHosts.sites)?.text }
        entry.rights = copyright?.trimmed.nonEmpty
        return ItemDetails(entry: entry, chain: artwork.chain, isComplete: false)
    }

    /// The song; `nil` if the result is something else. Videos come with their album's songs.
    var song: Track? {
        guard wrapperType == "track", kind == "song" else { return nil }
        return Track(
            title: trackName?.trimmed.nonEmpty ?? "Track \(trackNumber ?? 0)", disc: discNumber,
            number: trackNumber, milliseconds: milliseconds)
    }

    /// Returns the tracks sorted by disc, then by number. Tracks without a number come last, and
    /// equal tracks keep their order.
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
