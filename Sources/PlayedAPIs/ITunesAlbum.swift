package import JSON

/// An album as the iTunes Search API has it, with the fields that a reader needs. The defaults are
/// those of a made-up album in a test.
package struct ITunesAlbum: Sendable {
    package static let host = "itunes.apple.com"

    package let id: Int
    package var title: String
    package var artist = "Artist"
    package var isCompilation = false
    /// Songs, and music videos among them.
    package var tracks = 10
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
        ["resultCount": .integer(results.count), "results": .list(results)]
    }

    package var json: JSON {
        ["wrapperType": "collection", "collectionType": isCompilation ? "Compilation" : "Album"]
            + common([60, 100]) + [
                "copyright": .text(rights), "trackCount": .integer(tracks),
                "releaseDate": "\(date)T08:00:00Z",
            ]
    }

    /// One of its songs, or of its videos with the kind `music-video`.
    package func track(
        _ number: Int, _ name: String, disc: Int = 1, kind: String = "song",
        milliseconds: Int = 200_000
    ) -> JSON {
        ["wrapperType": "track", "kind": .text(kind), "trackId": .integer(id + number)]
            + common([30, 60, 100]) + [
                "trackName": .text(name), "releaseDate": "\(date)T12:00:00Z",
                "discNumber": .integer(disc), "trackNumber": .integer(number),
                "trackCount": .integer(tracks), "trackTimeMillis": .integer(milliseconds),
            ]
    }

    private func common(_ sizes: [Int]) -> JSON {
        let fields: JSON = [
            "collectionId": .integer(id), "artistName": .text(artist),
            "collectionName": .text(title), "collectionViewUrl": .text(url),
            "primaryGenreName": .text(genre), "country": "USA",
        ]
        guard let artwork else { return fields }
        return fields
            + .object(sizes.map { JSON.Member("artworkUrl\($0)", .text(artwork($0))) })
    }
}
