import PlayedAPIs

extension DemoArtist {
    private static let names = OpaqueName(salt: 41, alphabet: .base62, length: 22)

    package var spotifyID: String { Self.names.name(number) }

    static func number(spotifyID: some StringProtocol) -> Int? { names.number(spotifyID) }

    var spotify: JSON {
        SpotifyDocument.artist(
            id: spotifyID, name: name, images: SpotifyImage.listed(.artist(number)),
            genres: number % 4 == 1 ? [] : genre.tags, followers: followers,
            popularity: popularity)
    }

    fileprivate var spotifyReference: JSON { SpotifyDocument.reference(id: spotifyID, name: name) }
}

extension DemoAlbum {
    private static let names = OpaqueName(salt: 42, alphabet: .base62, length: 22)

    package var spotifyID: String { Self.names.name(number) }

    static func number(spotifyID: some StringProtocol) -> Int? { names.number(spotifyID) }
}

extension MusicCatalog {
    /// As an item of an artist's albums.
    func spotify(_ album: DemoAlbum) -> JSON {
        SpotifyDocument.album(
            id: album.spotifyID, name: album.title, kind: album.kind.rawValue,
            tracks: album.tracks,
            // Of some albums only the year is known.
            date: album.number % 9 == 1 ? "\(album.year)" : album.date,
            images: SpotifyImage.listed(.album(album.number)),
            artists: [artist(of: album).spotifyReference])
    }

    /// As `/albums/{id}` has it.
    func spotifyDetails(_ album: DemoAlbum) -> JSON {
        let artist = artist(of: album)
        let tracks = album.songs(seed: seed).map { song in
            SpotifyDocument.track(
                song.number, song.title, milliseconds: song.milliseconds,
                artists: [artist.spotifyReference])
        }
        return spotify(album)
            + SpotifyDocument.albumDetails(
                id: album.spotifyID, tracks: tracks, label: album.label, rights: album.rights,
                upc: album.upc, popularity: artist.popularity)
    }
}

extension SpotifyImage {
    /// All images of a subject, as the API tells them.
    fileprivate static func listed(_ subject: Subject) -> [SpotifyDocument.Image] {
        let isUnmeasured = quirk(of: subject) == .sizesNull
        return all(of: subject).map { image in
            (image.url, isUnmeasured ? nil : image.width, isUnmeasured ? nil : image.height)
        }
    }
}
