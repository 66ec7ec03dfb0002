/// The documents of Spotify's Web API and of its token service. Defaults are those of made-up ones
/// in tests.
package enum SpotifyDocument {
    package static let accountsHost = "accounts.spotify.com"
    package static let host = "api.spotify.com"
    package static let imageHost = "i.scdn.co"

    /// Sizes are nil if the API doesn't know them.
    package typealias Image = (url: String, width: Int?, height: Int?)

    package static func token(_ text: String, seconds: JSON = 3_600) -> JSON {
        ["access_token": .string(text), "token_type": "Bearer", "expires_in": seconds]
    }

    /// What the token service refuses with.
    package static func refusal(_ name: String, _ description: String) -> JSON {
        ["error": .string(name), "error_description": .string(description)]
    }

    /// The body of the API's errors.
    package static func problem(_ status: Int, _ message: String) -> JSON {
        ["error": ["status": .integer(status), "message": .string(message)]]
    }

    package static func artist(
        id: String, name: String, images: [Image] = [], genres: [String] = [],
        followers: Int = 0, popularity: Int = 0
    ) -> JSON {
        [
            "external_urls": page("artist", id),
            "followers": ["href": .null, "total": .integer(followers)],
            "genres": JSON(strings: genres), "href": address("artists", id), "id": .string(id),
            "images": list(images), "name": .string(name), "popularity": .integer(popularity),
            "type": "artist", "uri": "spotify:artist:\(id)",
        ]
    }

    /// An artist where only name and address are told.
    package static func reference(id: String, name: String) -> JSON {
        [
            "external_urls": page("artist", id), "href": address("artists", id),
            "id": .string(id), "name": .string(name), "type": "artist",
            "uri": "spotify:artist:\(id)",
        ]
    }

    /// As an item of an artist's albums.
    ///
    /// - Parameters:
    ///   - kind: `album`, `single` or `compilation`.
    ///   - date: an ISO date, or as much of it as is known.
    ///   - artists: see ``reference(id:name:)``.
    package static func album(
        id: String, name: String, kind: String = "album", tracks: Int = 10,
        date: String = "2013-05-17", images: [Image] = [], artists: [JSON] = []
    ) -> JSON {
        [
            "album_type": .string(kind), "total_tracks": .integer(tracks),
            "available_markets": JSON(strings: ["BE", "DE", "GB", "NL", "NO", "US"]),
            "external_urls": page("album", id), "href": address("albums", id), "id": .string(id),
            "images": list(images), "name": .string(name), "release_date": .string(date),
            "release_date_precision": date.count == 4 ? "year" : "day", "type": "album",
            "uri": "spotify:album:\(id)", "artists": .array(artists),
            "album_group": .string(kind),
        ]
    }

    /// What `/albums/{id}` tells besides.
    package static func albumDetails(
        id: String, tracks: [JSON], label: String, rights: String, upc: String, popularity: Int
    ) -> JSON {
        let part = SpotifyPage(
            href: "https://\(host)/v1/albums/\(id)/tracks?offset=0&limit=50", limit: 50,
            total: tracks.count)
        return [
            "tracks": part.json(tracks), "copyrights": [["text": .string(rights), "type": "P"]],
            "external_ids": ["upc": .string(upc)], "genres": [], "label": .string(label),
            "popularity": .integer(popularity),
        ]
    }

    package static func track(
        _ number: Int, _ name: String, milliseconds: Int, artists: [JSON]
    ) -> JSON {
        [
            "artists": .array(artists), "disc_number": 1, "duration_ms": .integer(milliseconds),
            "explicit": false, "name": .string(name), "track_number": .integer(number),
            "type": "track",
        ]
    }

    private static func address(_ list: String, _ id: String) -> JSON {
        "https://\(host)/v1/\(list)/\(id)"
    }

    private static func page(_ kind: String, _ id: String) -> JSON {
        ["spotify": "https://open.spotify.com/\(kind)/\(id)"]
    }

    private static func list(_ images: [Image]) -> JSON {
        .array(
            images.map { image in
                [
                    "height": JSON(image.height), "url": .string(image.url),
                    "width": JSON(image.width),
                ]
            })
    }
}

/// One part of a list, and where the parts before and after it are.
package struct SpotifyPage: Sendable, Equatable {
    package var href: String
    package var next: String?
    package var previous: String?
    package var limit = 10
    package var offset = 0
    package var total: Int

    package init(href: String = "", limit: Int = 10, total: Int, next: String? = nil) {
        self.href = href
        self.limit = limit
        self.total = total
        self.next = next
    }

    /// `address` writes the address of a part. The one before begins at 0 at the least, and so may
    /// overlap this one.
    package init(limit: Int, offset: Int, total: Int, address: (_ offset: Int) -> String) {
        self.init(
            href: address(offset), limit: limit, total: total,
            next: offset + limit < total ? address(offset + limit) : nil)
        previous = offset > 0 ? address(max(0, offset - limit)) : nil
        self.offset = offset
    }

    package func json(_ items: [JSON]) -> JSON {
        [
            "href": .string(href), "items": .array(items), "limit": .integer(limit),
            "next": JSON(next), "offset": .integer(offset), "previous": JSON(previous),
            "total": .integer(total),
        ]
    }
}
