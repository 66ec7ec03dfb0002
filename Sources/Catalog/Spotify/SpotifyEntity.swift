import Fetch
import JSON

/// An artist or an album in the API's form, in full or as part of a list.
enum SpotifyEntity {
    static let pictureHost = HostPattern("i.scdn.co")
    private static let site = HostPattern("open.spotify.com")

    /// Returns nil without an id. Any other field may be missing, null or of an odd type.
    static func details(kind: String, _ json: JSON) -> ItemDetails? {
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
        entry.link = json["external_urls"]["spotify"].url(on: Self.site)
        entry.followers = json["followers"]["total"].count
        entry.trackCount = json["total_tracks"].integer(in: Bounds.place)
        return ItemDetails(
            entry: entry, chain: (json["images"].elements ?? []).compactMap(step))
    }

    /// Returns a picture in one size; `nil` if the URL is not on Spotify's image host. The API lists the widest
    /// first, often three, sometimes none.
    private static func step(_ image: JSON) -> ChainStep? {
        let (width, height) = (image["width"].pixels, image["height"].pixels)
        let size = width.flatMap { width in height.map { " \(width)×\($0)" } }
        return image["url"].candidate(
            on: Self.pictureHost, "image\(size ?? "")", width: width, height: height)
    }

    /// Returns whether the text may be an id: base 62, today 22 letters and digits.
    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
            }
    }
}
