/// Writes artists and albums in the shape of Spotify's Web API.
struct SpotifyJSON: Sendable {
    let catalogue: MusicCatalogue

    static let base = "https://api.spotify.com/v1"

    func artist(_ artist: DemoArtist) -> JSON {
        [
            "external_urls": page("artist", artist.spotifyID),
            "followers": ["href": .null, "total": .integer(artist.followers)],
            "genres": JSON(strings: artist.number % 4 == 1 ? [] : artist.genre.tags),
            "href": "\(Self.base)/artists/\(artist.spotifyID)", "id": .string(artist.spotifyID),
            "images": images(.artist(artist.number)), "name": .string(artist.name),
            "popularity": .integer(artist.popularity), "type": "artist",
            "uri": "spotify:artist:\(artist.spotifyID)",
        ]
    }

    /// As an item of an artist's albums.
    func album(_ album: DemoAlbum) -> JSON {
        simplified(album)
    }

    /// As `/albums/{id}` has it.
    func wholeAlbum(_ album: DemoAlbum) -> JSON {
        let songs = album.songs(seed: catalogue.seed)
        let tracks = SpotifyPaging(
            href: "\(Self.base)/albums/\(album.spotifyID)/tracks?offset=0&limit=50", next: nil,
            previous: nil, limit: 50, offset: 0, total: songs.count)
        let rest: JSON = [
            "tracks": tracks.json(songs.map { track($0, of: album) }),
            "copyrights": [
                ["text": "℗ \(album.year) \(album.label)", "type": "P"]
            ], "external_ids": ["upc": .string(album.upc)], "genres": [],
            "label": .string(album.label),
            "popularity": .integer(catalogue.artist(of: album).popularity),
        ]
        return simplified(album) + rest
    }

    private func simplified(_ album: DemoAlbum) -> JSON {
        [
            "album_type": .string(album.kind.rawValue), "total_tracks": .integer(album.tracks),
            "available_markets": JSON(strings: ["BE", "DE", "GB", "NL", "NO", "US"]),
            "external_urls": page("album", album.spotifyID),
            "href": "\(Self.base)/albums/\(album.spotifyID)", "id": .string(album.spotifyID),
            "images": images(.album(album.number)), "name": .string(album.title),
            // Of some albums only the year is known.
            "release_date": .string(isYearOnly(album) ? "\(album.year)" : album.date),
            "release_date_precision": isYearOnly(album) ? "year" : "day", "type": "album",
            "uri": "spotify:album:\(album.spotifyID)",
            "artists": [reference(catalogue.artist(of: album))],
            "album_group": .string(album.kind.rawValue),
        ]
    }

    private func isYearOnly(_ album: DemoAlbum) -> Bool { album.number % 9 == 1 }

    private func reference(_ artist: DemoArtist) -> JSON {
        [
            "external_urls": page("artist", artist.spotifyID),
            "href": "\(Self.base)/artists/\(artist.spotifyID)", "id": .string(artist.spotifyID),
            "name": .string(artist.name), "type": "artist",
            "uri": "spotify:artist:\(artist.spotifyID)",
        ]
    }

    private func track(_ song: DemoAlbum.Song, of album: DemoAlbum) -> JSON {
        [
            "artists": [reference(catalogue.artist(of: album))], "disc_number": 1,
            "duration_ms": .integer(song.milliseconds), "explicit": false,
            "name": .string(song.title), "track_number": .integer(song.number), "type": "track",
        ]
    }

    private func page(_ kind: String, _ id: String) -> JSON {
        ["spotify": "https://open.spotify.com/\(kind)/\(id)"]
    }

    private func images(_ subject: SpotifyImage.Subject) -> JSON {
        let isUnmeasured = SpotifyImage.peculiarity(of: subject) == .sizesNull
        return .array(
            SpotifyImage.all(of: subject).map { image in
                [
                    "height": isUnmeasured ? .null : .integer(image.height),
                    "url": .string(image.url),
                    "width": isUnmeasured ? .null : .integer(image.width),
                ]
            })
    }
}

extension DemoArtist {
    private static let names = OpaqueName(salt: 41, alphabet: .base62, length: 22)

    package var spotifyID: String { Self.names.name(number) }

    static func number(spotifyID: some StringProtocol) -> Int? { names.number(spotifyID) }
}

extension DemoAlbum {
    private static let names = OpaqueName(salt: 42, alphabet: .base62, length: 22)

    package var spotifyID: String { Self.names.name(number) }

    static func number(spotifyID: some StringProtocol) -> Int? { names.number(spotifyID) }
}
