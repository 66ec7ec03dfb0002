import Fetch

/// An artist or an album in the API's form, in full or as part of a list.
enum SpotifyEntity {
    /// Returns nil without an id. Any other field may be missing, null or of an odd type.
    static func details(kind: String, _ json: JSONTree) -> ItemDetails? {
        guard let id = json["id"].string, isID(id) else { return nil }
        var entry = CatalogEntry(
            item: Item(source: "spotify", kind: kind, id: id),
            title: json["name"].words ?? "\(kind == "artist" ? "Artist" : "Album") \(id)")
        entry.subtitle =
            (json["artists"].elements ?? []).compactMap(\.["name"].words)
            .joined(separator: ", ").nonEmpty
        // The API writes an unknown date with zeros.
        entry.date = json["release_date"].string?.partialDate
            .flatMap { $0.hasPrefix("0000") ? nil : $0 }
        entry.genres = (json["genres"].elements ?? []).compactMap(\.words)
        entry.link = json["external_urls"]["spotify"].url(on: Spotify.site)
        entry.followers = json["followers"]["total"].count
        entry.trackCount = json["total_tracks"].integer(in: Bounds.place)
        return ItemDetails(
            entry: entry, chain: (json["images"].elements ?? []).compactMap(step))
    }

    /// Returns a picture in one size; `nil` if the URL is not on Spotify's image host. The API lists the widest
    /// first, often three, sometimes none.
    private static func step(_ image: JSONTree) -> ChainStep? {
        let (width, height) = (image["width"].pixels, image["height"].pixels)
        let size = width.flatMap { width in height.map { " \(width)×\($0)" } }
        return image["url"].candidate(
            on: Spotify.pictureHost, "image\(size ?? "")", width: width, height: height)
    }

    /// Returns whether the text may be an id: base 62, today 22 letters and digits.
    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
            }
    }
}

/// A page of a list.
struct SpotifyPaging {
    /// The API rejects searches past the first thousand items.
    static let offsets = 0...990

    let items: [JSONTree]
    let total: Int?
    private let next: String?

    /// Returns nil without items.
    init?(_ json: JSONTree) {
        guard let items = json["items"].elements else { return nil }
        self.items = items
        total = json["total"].count
        next = json["next"].url(on: Spotify.apiHost)
    }

    /// Returns the offset of the next page; `nil` at the end, or if the link to the next page has
    /// another host or doesn't lead forward.
    ///
    /// Only the offset is taken from the link, because it writes the other parameters differently.
    func nextOffset(after offset: Int) -> Int? {
        guard let query = next?.split(separator: "?", maxSplits: 1).dropFirst().first,
            let field = query.split(separator: "&").first(where: { $0.hasPrefix("offset=") }),
            let number = Int(field.dropFirst("offset=".count)), number > offset,
            Self.offsets.contains(number)
        else { return nil }
        return number
    }
}
