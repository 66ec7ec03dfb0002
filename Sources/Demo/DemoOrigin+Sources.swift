extension DemoOrigin {
    /// What a demo warms, in this order.
    package var sources: [DemoSource] {
        [shows, albums, artists, artistAlbums, popularFilms, artworks].compactMap(\.self)
    }

    private var shows: DemoSource? {
        guard let last = catalogue.shows.last else { return nil }
        return DemoSource(
            source: "tvmaze", list: "shows", pages: "0-\(last.id / 250)",
            contents: "invented shows", example: "tvmaze/show/1",
            expected: DemoSource.expected(catalogue.shows) { show in
                switch show.peculiarity {
                case .noPicture: .placeholder
                case .originalCut, .originalHTML: .fallback
                case .mediumNull, .mediumMissing, .mediumGone, nil: nil
                }
            })
    }

    /// Albums that are about the night.
    private var albums: DemoSource? {
        let found = ITunesAPISite(catalogue: music).albums(for: Self.albumTerm)
            .prefix(Self.albumLimit)
        let example = found.first { ITunesPeculiarity(album: $0.number) == nil }
        guard let example else { return nil }
        return DemoSource(
            source: "itunes", list: "albums", words: [Self.albumTerm], limit: Self.albumLimit,
            contents: "albums found by “\(Self.albumTerm)”",
            example: "itunes/album/\(example.iTunesID)",
            expected: DemoSource.expected(found) { album in
                switch ITunesPeculiarity(album: album.number) {
                case .noArtwork: .placeholder
                case .largeRefused, .largeGone: .fallback
                case .fixedArtwork, nil: nil
                }
            })
    }

    private static let albumTerm = "night"
    private static let albumLimit = 48
    private static let artistTerm = "the"

    private var spotify: SpotifyAPISite {
        SpotifyAPISite(
            catalogue: music,
            tokens: SpotifyTokens(configuration.credentials, lifetime: configuration.tokenLifetime))
    }

    private var artists: DemoSource? {
        let found = spotify.artists(for: Self.artistTerm).prefix(100)
        let example = found.first { SpotifyPeculiarity(artist: $0.number) == nil }
        guard let example else { return nil }
        return DemoSource(
            source: "spotify", list: "artists", words: [Self.artistTerm],
            contents: "artists found by “\(Self.artistTerm)”",
            example: "spotify/artist/\(example.spotifyID)",
            expected: DemoSource.expected(found) {
                Self.ending(SpotifyPeculiarity(artist: $0.number))
            })
    }

    /// Those of somebody who never rests.
    private var artistAlbums: DemoSource? {
        guard let artist = music.artists.max(by: { $0.albums.count < $1.albums.count }) else {
            return nil
        }
        let found = spotify.albums(of: artist, groups: "album,single").prefix(100)
        let example = found.first { SpotifyPeculiarity(album: $0.number) == nil }
        guard let example else { return nil }
        return DemoSource(
            source: "spotify", list: "artist-albums", words: [artist.spotifyID],
            contents: "albums of \(artist.name)", example: "spotify/album/\(example.spotifyID)",
            expected: DemoSource.expected(found) {
                Self.ending(SpotifyPeculiarity(album: $0.number))
            })
    }

    private static func ending(_ peculiarity: SpotifyPeculiarity?) -> DemoSource.Ending? {
        switch peculiarity {
        case .noImages: .placeholder
        case .largestGone: .fallback
        case .sizesNull, .uneven, nil: nil
        }
    }

    /// Of two pages, which have one film in common.
    private var popularFilms: DemoSource? {
        let films = (1...2).flatMap { self.films.popular(page: $0) }
        let example = films.first { $0.peculiarity == nil }
        guard let example else { return nil }
        var seen: Set<Int> = []
        return DemoSource(
            source: "tmdb", list: "popular", pages: "1-2", contents: "popular films",
            example: "tmdb/movie/\(example.id)",
            expected: DemoSource.expected(films.filter { seen.insert($0.id).inserted }) { film in
                switch film.peculiarity {
                case .noPictures: .placeholder
                case .originalGone: .fallback
                case .noPoster, nil: nil
                }
            })
    }

    /// The index knows which objects have no image, but not of all of them.
    private var artworks: DemoSource? {
        let limit = 40
        let found = objects.objects.filter { $0.peculiarity != .noDigitalObject }.prefix(limit)
        let example = found.first { $0.peculiarity == nil }
        guard let example else { return nil }
        return DemoSource(
            source: "rijksmuseum", list: "objects", limit: limit, contents: "museum objects",
            example: "rijksmuseum/object/\(example.number)",
            expected: DemoSource.expected(found) { object in
                switch object.peculiarity {
                // Pictures that aren't given away aren't taken.
                case .noVisualItem, .noAccessPoint, .notDownloadable, .noDigitalObject:
                    .placeholder
                case .secondDigitalObject, nil: nil
                }
            })
    }
}
