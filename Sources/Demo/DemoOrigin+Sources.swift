import PlayedAPIs

extension DemoOrigin {
    /// The lists that a demo warms, in this order.
    package var sources: [DemoSource] {
        [shows, albums, artists, artistAlbums, popularFilms, artworks].compactMap(\.self)
    }

    private var shows: DemoSource? {
        DemoSource(
            "tvmaze", "shows", pages: "0-\(max(catalog.pages - 1, 0))",
            contents: "invented shows", of: catalog.shows, id: { "show/\($0.id)" },
            quirk: \.quirk)
    }

    /// Albums about the night.
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

    /// The films of two pages, which have one film in common.
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
