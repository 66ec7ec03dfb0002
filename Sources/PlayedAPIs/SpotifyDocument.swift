package import JSON

/// The documents of Spotify's Web API and of its token service, with the fields that a reader needs.
/// Defaults are those of made-up ones in tests.
package enum SpotifyDocument {
    package static let accountsHost = "accounts.spotify.com"
    package static let host = "api.spotify.com"
    package static let imageHost = "i.scdn.co"

    /// Sizes are nil if the API doesn't know them.
    package typealias Image = (url: String, width: Int?, height: Int?)

    package static func token(_ text: String, seconds: JSON = 3_600) -> JSON {
        ["access_token": .text(text), "token_type": "Bearer", "expires_in": seconds]
    }

    /// What the token service refuses with.
    package static func refusal(_ name: String, _ description: String) -> JSON {
        ["error": .text(name), "error_description": .text(description)]
    }

    /// The body of the API's errors.
    package static func problem(_ status: Int, _ message: String) -> JSON {
        ["error": ["status": .integer(status), "message": .text(message)]]
    }

    package static func artist(
        id: String, name: String, images: [Image] = [], genres: [String] = [],
        followers: Int = 0
    ) -> JSON {
        reference("artist", id, name) + [
            "followers": ["href": .null, "total": .integer(followers)],
            "genres": JSON(genres), "images": list(images),
        ]
    }

    /// An artist or an album where only name and address are told.
    package static func reference(_ kind: String, _ id: String, _ name: String) -> JSON {
        [
            "external_urls": ["spotify": "https://open.spotify.com/\(kind)/\(id)"],
            "href": "https://\(host)/v1/\(kind)s/\(id)", "id": .text(id), "name": .text(name),
            "type": .text(kind), "uri": "spotify:\(kind):\(id)",
        ]
    }

    /// An album, as an item of an artist's or alone.
    ///
    /// - Parameters:
    ///   - kind: `album`, `single` or `compilation`.
    ///   - date: an ISO date, or as much of it as is known.
    ///   - artists: see ``reference(_:_:_:)``.
    package static func album(
        id: String, name: String, kind: String = "album", tracks: Int = 10,
        date: String = "2013-05-17", images: [Image] = [], artists: [JSON] = []
    ) -> JSON {
        reference("album", id, name) + [
            "album_type": .text(kind), "total_tracks": .integer(tracks), "images": list(images),
            "release_date": .text(date),
            "release_date_precision": date.count == 4 ? "year" : "day",
            "artists": .list(artists),
        ]
    }

    private static func list(_ images: [Image]) -> JSON {
        .list(
            images.map { image in
                [
                    "height": JSON(image.height), "url": .text(image.url),
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
            "href": .text(href), "items": .list(items), "limit": .integer(limit),
            "next": JSON(next), "offset": .integer(offset), "previous": JSON(previous),
            "total": .integer(total),
        ]
    }
}
