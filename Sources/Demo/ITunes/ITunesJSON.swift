/// Writes albums and songs in the shape of the iTunes Search API.
struct ITunesJSON: Sendable {
    let catalogue: MusicCatalogue

    func results(_ results: [JSON]) -> JSON {
        ["resultCount": .integer(results.count), "results": .array(results)]
    }

    func collection(_ album: DemoAlbum) -> JSON {
        let artist = catalogue.artist(of: album)
        var fields: JSON = [
            "wrapperType": "collection",
            "collectionType": album.kind == .compilation ? "Compilation" : "Album",
            "artistId": .integer(artist.iTunesID), "collectionId": .integer(album.iTunesID),
            "amgArtistId": .integer(100_000 + artist.number), "artistName": .string(artist.name),
            "collectionName": .string(album.iTunesTitle),
            "collectionCensoredName": .string(album.iTunesTitle),
            "artistViewUrl": .string(artist.page), "collectionViewUrl": .string(album.page),
        ]
        fields += artwork(album, [60, 100])
        fields += [
            "collectionPrice": .number(album.kind == .single ? 1.29 : 9.99),
            "collectionExplicitness": "notExplicit",
            "trackCount": .integer(album.tracks + (album.hasVideo ? 1 : 0)),
            "copyright": "℗ \(album.year) \(album.label)", "country": "USA", "currency": "USD",
            "releaseDate": "\(album.date)T08:00:00Z",
            "primaryGenreName": .string(album.genre.rawValue),
        ]
        return fields
    }

    /// A music video first, where there is one; then the songs.
    func tracks(_ album: DemoAlbum) -> [JSON] {
        let songs = album.songs(seed: catalogue.seed)
        var tracks: [JSON] = []
        if album.hasVideo, let first = songs.first {
            let video = DemoAlbum.Song(
                number: album.tracks + 1, title: first.title, milliseconds: first.milliseconds)
            tracks.append(track(video, kind: "music-video", of: album))
        }
        return tracks + songs.map { track($0, kind: "song", of: album) }
    }

    /// Artists have no artwork here.
    func artist(_ artist: DemoArtist) -> JSON {
        [
            "wrapperType": "artist", "artistType": "Artist", "artistName": .string(artist.name),
            "artistLinkUrl": .string(artist.page), "artistId": .integer(artist.iTunesID),
            "amgArtistId": .integer(100_000 + artist.number),
            "primaryGenreName": .string(artist.genre.rawValue),
            "primaryGenreId": .integer(artist.genre.iTunesID),
        ]
    }

    private func track(_ song: DemoAlbum.Song, kind: String, of album: DemoAlbum) -> JSON {
        let artist = catalogue.artist(of: album)
        let id = album.iTunesID + song.number
        let page = "\(album.page.dropLast(5))?i=\(id)&uo=4"
        var fields: JSON = [
            "wrapperType": "track", "kind": .string(kind), "artistId": .integer(artist.iTunesID),
            "collectionId": .integer(album.iTunesID), "trackId": .integer(id),
            "artistName": .string(artist.name), "collectionName": .string(album.iTunesTitle),
            "trackName": .string(song.title), "collectionCensoredName": .string(album.iTunesTitle),
            "trackCensoredName": .string(song.title), "artistViewUrl": .string(artist.page),
            "collectionViewUrl": .string(page), "trackViewUrl": .string(page),
            "previewUrl": "https://audio-ssl.itunes.apple.com/demo/\(id).m4a",
        ]
        fields += artwork(album, [30, 60, 100])
        fields += [
            "collectionPrice": .number(album.kind == .single ? 1.29 : 9.99),
            "trackPrice": .number(1.29), "releaseDate": "\(album.date)T12:00:00Z",
            "collectionExplicitness": "notExplicit", "trackExplicitness": "notExplicit",
            "discCount": .integer(1), "discNumber": .integer(1),
            "trackCount": .integer(album.tracks), "trackNumber": .integer(song.number),
            "trackTimeMillis": .integer(song.milliseconds), "country": "USA", "currency": "USD",
            "primaryGenreName": .string(album.genre.rawValue),
        ]
        if kind == "song" { fields += ["isStreamable": .bool(true)] }
        return fields
    }

    private func artwork(_ album: DemoAlbum, _ sizes: [Int]) -> JSON {
        guard ITunesPeculiarity(album: album.number) != .noArtwork else { return [:] }
        let artwork = ITunesArtwork(album: album.number)
        return .object(sizes.map { (name: "artworkUrl\($0)", value: .string(artwork.url($0))) })
    }
}

extension DemoAlbum {
    package var iTunesID: Int { 1_400_000_000 + number * 7_919 }

    static func number(iTunesID: Int) -> Int? {
        let offset = iTunesID - 1_400_000_000
        return offset >= 0 && offset.isMultiple(of: 7_919) ? offset / 7_919 : nil
    }

    /// The store says what isn't a whole album.
    var iTunesTitle: String { kind == .single ? "\(title) - Single" : title }

    /// Every third whole album comes with one.
    var hasVideo: Bool { kind == .album && number.isMultiple(of: 3) }

    fileprivate var page: String {
        "https://music.apple.com/us/album/\(title.slug)/\(iTunesID)?uo=4"
    }
}

extension DemoArtist {
    var iTunesID: Int { 900_000_000 + number * 6_133 }

    fileprivate var page: String {
        "https://music.apple.com/us/artist/\(name.slug)/\(iTunesID)?uo=4"
    }
}

extension MusicGenre {
    fileprivate var iTunesID: Int {
        switch self {
        case .jazz: 11
        case .electronic: 7
        case .alternative: 20
        case .folk: 10
        case .classical: 5
        case .soul: 15
        case .rock: 21
        case .pop: 14
        case .ambient: 1_056
        case .soundtrack: 16
        }
    }
}
