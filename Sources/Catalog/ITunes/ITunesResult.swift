import Fetch
import JSON

/// One result. A lookup mixes albums, songs, videos and artists. Any field may be missing, null or
/// of an odd type.
struct ITunesResult {
    static let pictureHost = HostPattern("*.mzstatic.com")
    private static let sites = [HostPattern("music.apple.com"), HostPattern("itunes.apple.com")]

    let json: JSON

    private var collectionID: Int? { json["collectionId"].integer(in: Bounds.album) }
    private var artist: String? { json["artistName"].string }

    /// The album without its songs; `nil` if the result is not an album.
    var album: ItemDetails? {
        json["wrapperType"].string == "collection" ? collection(by: artist) : nil
    }

    /// Returns the album as described by its songs, for responses that omit the album itself. Each
    /// song names the album, its store page and its artwork. `nil` if no song belongs to the album.
    static func album(_ item: Item, bySongs results: [ITunesResult]) -> ItemDetails? {
        let songs = results.filter {
            $0.song != nil && $0.collectionID.map { "\($0)" } == item.id
        }
        // Prefer a song that names the artwork.
        guard let song = songs.first(where: { !$0.artwork.isEmpty }) ?? songs.first else {
            return nil
        }
        // Set for a song on an album of several artists.
        let artists = Set(songs.compactMap { $0.json["collectionArtistName"].string ?? $0.artist })
        guard var album = song.collection(by: artists.count == 1 ? artists.first : nil) else {
            return nil
        }
        // Songs may be published before their album, so the latest day is the album's.
        album.entry.date = songs.compactMap(\.day).max()
        // The rights are those of the song, and the link's query names the song.
        album.entry.rights = nil
        album.entry.link = album.entry.link.map { String($0.prefix { $0 != "?" }) }
        return album
    }

    /// The day of the release. The time of day is in the store's time zone and is ignored.
    private var day: String? {
        json["releaseDate"].string.flatMap { String($0.prefix { $0 != "T" }).partialDate }
    }

    private func collection(by artist: String?) -> ItemDetails? {
        guard let collectionID else { return nil }
        var entry = CatalogEntry(
            item: Item(source: "itunes", kind: "album", id: "\(collectionID)"),
            title: json["collectionName"].words ?? "Album \(collectionID)")
        entry.subtitle = artist?.trimmed.nonEmpty
        entry.date = day
        entry.genres = [json["primaryGenreName"].words].compactMap(\.self)
        entry.link = json["collectionViewUrl"].url(on: Self.sites)
        entry.rights = json["copyright"].words
        return ItemDetails(entry: entry, chain: artwork, isComplete: false)
    }

    /// The song; `nil` if the result is something else. Videos come with their album's songs.
    var song: Track? {
        guard json["wrapperType"].string == "track", json["kind"].string == "song" else {
            return nil
        }
        let number = json["trackNumber"].integer(in: Bounds.place)
        return Track(
            title: json["trackName"].words ?? "Track \(number ?? 0)",
            disc: json["discNumber"].integer(in: Bounds.place), number: number,
            milliseconds: json["trackTimeMillis"].integer(in: Bounds.milliseconds))
    }

    // MARK: - Artwork

    /// Largest side that is requested, in pixels. The servers offer files of many MB, which improve
    /// no thumbnail.
    private static let maxSide = 1_200

    /// The scalable artwork, then both addresses as given, of 100 and of 60 pixels.
    private var artwork: [ChainStep] {
        let template = json["artworkUrl100"].url(on: Self.pictureHost).flatMap(Self.template)
        let scalable = template.map { template in
            ChainStep.scalable(
                ScalableCandidate(
                    template: template, label: "artwork", rank: 0, maxWidth: Self.maxSide,
                    maxHeight: Self.maxSide, isSquare: true))
        }
        let given = [(100, 1), (60, 2)].map { (side: Int, rank: Int) in
            json["artworkUrl\(side)"].candidate(
                on: Self.pictureHost, "artworkUrl\(side)", rank: rank, width: side, height: side)
        }
        return ([scalable] + given).compactMap(\.self)
    }

    /// Returns an address with placeholders for the size; `nil` if it can't be rewritten.
    ///
    /// The last part of two forms of addresses is the size, `…/100x100bb.jpg`, and the server returns any other
    /// size. Old addresses hold the size within the file name, `….100x100-75.jpg`, and are used
    /// unchanged. This rewriting is common practice, but Apple doesn't document it.
    private static func template(_ url: String) -> String? {
        guard let slash = url.lastIndex(of: "/"),
            url[slash...].wholeMatch(of: #/\/[0-9]+x[0-9]+bb\.(jpg|png|webp)/#) != nil
        else { return nil }
        return url[...slash] + "{width}x{height}bb.jpg"
    }
}
