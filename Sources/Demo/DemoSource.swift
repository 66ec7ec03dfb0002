import PlayedAPIs

/// One list of a catalog as a demo warms it, and what must come of it.
package struct DemoSource: Sendable, Equatable, Encodable {
    /// Name of the source, `itunes`.
    package let source: String
    /// Name of the list, as on the command line.
    package let list: String
    /// A search term, or the id of an artist.
    package var words: [String] = []
    package var pages: String?
    package var limit: Int?
    /// What it is, for people: `invented shows`.
    package let contents: String
    /// An item with a picture, `itunes/album/1400000000`.
    package let example: String
    package let expected: Expected

    /// Exact with every level wanted and no other item failing.
    package struct Expected: Sendable, Equatable, Encodable {
        package var items = 0
        /// Items without a usable picture.
        package var placeholders = 0
        /// Items whose picture isn't the first choice.
        package var fallbacks = 0
    }

    /// What a quirk makes of an item. Nil is a picture at the first attempt.
    package enum Ending: Sendable { case placeholder, fallback }

    /// Returns nil if each of the items has a quirk, so that none can be the example.
    init?<Item>(
        _ source: String, _ list: String, words: [String] = [], pages: String? = nil,
        limit: Int? = nil, contents: String, of items: some Sequence<Item>,
        id: (Item) -> some CustomStringConvertible, quirk: (Item) -> (some Quirk)?
    ) {
        let items = Array(items)
        guard let example = items.first(where: { quirk($0) == nil }) else { return nil }
        self.source = source
        self.list = list
        self.words = words
        self.pages = pages
        self.limit = limit
        self.contents = contents
        self.example = "\(source)/\(id(example))"
        let endings = items.map { quirk($0)?.ending }
        expected = Expected(
            items: items.count, placeholders: endings.count { $0 == .placeholder },
            fallbacks: endings.count { $0 == .fallback })
    }
}

/// Something that is wrong with a picture, as it is with some of the real ones.
protocol Quirk: Sendable {
    var ending: DemoSource.Ending? { get }
}

extension DemoOrigin {
    /// What a demo warms, in this order.
    package var sources: [DemoSource] {
        [shows, albums, artists, artistAlbums, popularFilms, artworks].compactMap(\.self)
    }

    private var shows: DemoSource? {
        DemoSource(
            "tvmaze", "shows", pages: "0-\(max(catalog.pages - 1, 0))",
            contents: "invented shows", of: catalog.shows, id: { "show/\($0.id)" },
            quirk: \.quirk)
    }

    /// Albums that are about the night.
    private var albums: DemoSource? {
        DemoSource(
            "itunes", "albums", words: ["night"], limit: 48,
            contents: "albums found by “night”",
            of: ITunesAPISite(catalog: music).albums(for: "night").prefix(48),
            id: { "album/\($0.iTunesID)" }, quirk: { ITunesQuirk(album: $0.number) })
    }

    private var spotify: SpotifyAPISite {
        SpotifyAPISite(
            catalog: music,
            tokens: SpotifyTokens(configuration.credentials, lifetime: configuration.tokenLifetime))
    }

    private var artists: DemoSource? {
        DemoSource(
            "spotify", "artists", words: ["the"], contents: "artists found by “the”",
            of: spotify.artists(for: "the").prefix(100), id: { "artist/\($0.spotifyID)" },
            quirk: { SpotifyQuirk(artist: $0.number) })
    }

    /// The artist with most albums.
    private var artistAlbums: DemoSource? {
        guard let artist = music.artists.max(by: { $0.albums.count < $1.albums.count }) else {
            return nil
        }
        return DemoSource(
            "spotify", "artist-albums", words: [artist.spotifyID],
            contents: "albums of \(artist.name)",
            of: spotify.albums(of: artist, groups: "album,single").prefix(100),
            id: { "album/\($0.spotifyID)" }, quirk: { SpotifyQuirk(album: $0.number) })
    }

    /// Of two pages, which have one film in common.
    private var popularFilms: DemoSource? {
        var seen: Set<Int> = []
        let films = (1...2).flatMap { self.films.popular(page: $0) }
        return DemoSource(
            "tmdb", "popular", pages: "1-2", contents: "popular films",
            of: films.filter { seen.insert($0.id).inserted }, id: { "movie/\($0.id)" },
            quirk: \.quirk)
    }

    /// The index knows which objects have no image, but not of all of them.
    private var artworks: DemoSource? {
        DemoSource(
            "rijksmuseum", "objects", limit: 40, contents: "museum objects",
            of: objects.objects.filter { $0.quirk != .noDigitalObject }.prefix(40),
            id: { "object/\($0.number)" }, quirk: \.quirk)
    }
}
