/// An album as the iTunes Search API has it. The defaults are those of a made-up album in a test.
package struct ITunesAlbum: Sendable {
    package static let host = "itunes.apple.com"

    package let id: Int
    package var title: String
    package var artist = ITunesArtist(id: 1, name: "Artist")
    package var isCompilation = false
    package var isSingle = false
    package var tracks = 10
    /// Music videos among the tracks.
    package var videos = 0
    /// ISO date.
    package var date = "2013-05-17"
    package var genre = "Rock"
    package var rights = "℗ 2013 Label"
    /// Page for people.
    package var url: String
    /// Address of the artwork at 30, 60 or 100 pixels. Nil leaves the fields out.
    package var artwork: (@Sendable (_ pixels: Int) -> String)?

    package init(id: Int, title: String? = nil) {
        self.id = id
        self.title = title ?? "Album \(id)"
        url = "https://music.apple.com/us/album/\(id)?uo=4"
    }

    /// The answer to a search or a look-up.
    package static func results(_ results: [JSON]) -> JSON {
        ["resultCount": .integer(results.count), "results": .array(results)]
    }

    package var json: JSON {
        [
            "wrapperType": "collection", "collectionType": isCompilation ? "Compilation" : "Album",
            "artistId": .integer(artist.id), "collectionId": .integer(id),
            "amgArtistId": .integer(artist.guideID), "artistName": .string(artist.name),
            "collectionName": .string(title), "collectionCensoredName": .string(title),
            "artistViewUrl": .string(artist.url), "collectionViewUrl": .string(url),
        ] + artworkFields([60, 100]) + [
            "collectionPrice": price, "collectionExplicitness": "notExplicit",
            "trackCount": .integer(tracks + videos), "copyright": .string(rights),
            "country": "USA", "currency": "USD", "releaseDate": "\(date)T08:00:00Z",
            "primaryGenreName": .string(genre),
        ]
    }

    /// One of its songs, or of its videos with the kind `music-video`.
    package func track(
        _ number: Int, _ name: String, disc: Int = 1, kind: String = "song",
        milliseconds: Int = 200_000
    ) -> JSON {
        let page = "\(url.prefix { $0 != "?" })?i=\(id + number)&uo=4"
        let fields: JSON = [
            "wrapperType": "track", "kind": .string(kind), "artistId": .integer(artist.id),
            "collectionId": .integer(id), "trackId": .integer(id + number),
            "artistName": .string(artist.name), "collectionName": .string(title),
            "trackName": .string(name), "collectionCensoredName": .string(title),
            "trackCensoredName": .string(name), "artistViewUrl": .string(artist.url),
            "collectionViewUrl": .string(page), "trackViewUrl": .string(page),
            "previewUrl": "https://audio-ssl.itunes.apple.com/demo/\(id + number).m4a",
        ]
        let rest: JSON = [
            "collectionPrice": price, "trackPrice": .number(1.29),
            "releaseDate": "\(date)T12:00:00Z", "collectionExplicitness": "notExplicit",
            "trackExplicitness": "notExplicit", "discCount": 1, "discNumber": .integer(disc),
            "trackCount": .integer(tracks), "trackNumber": .integer(number),
            "trackTimeMillis": .integer(milliseconds), "country": "USA", "currency": "USD",
            "primaryGenreName": .string(genre),
        ]
        return fields + artworkFields([30, 60, 100]) + rest
            + (kind == "song" ? ["isStreamable": true] : [:])
    }

    private var price: JSON { .number(isSingle ? 1.29 : 9.99) }

    private func artworkFields(_ sizes: [Int]) -> JSON {
        guard let artwork else { return [:] }
        return .object(sizes.map { (name: "artworkUrl\($0)", value: .string(artwork($0))) })
    }
}

/// An artist as the iTunes Search API has it: without artwork.
package struct ITunesArtist: Sendable {
    package let id: Int
    package let name: String
    /// In the All Music Guide.
    package var guideID: Int
    package var url: String

    package init(id: Int, name: String, guideID: Int = 100_001, url: String? = nil) {
        self.id = id
        self.name = name
        self.guideID = guideID
        self.url = url ?? "https://music.apple.com/us/artist/\(id)?uo=4"
    }

    package func json(genre: String, genreID: Int) -> JSON {
        [
            "wrapperType": "artist", "artistType": "Artist", "artistName": .string(name),
            "artistLinkUrl": .string(url), "artistId": .integer(id),
            "amgArtistId": .integer(guideID), "primaryGenreName": .string(genre),
            "primaryGenreId": .integer(genreID),
        ]
    }
}
