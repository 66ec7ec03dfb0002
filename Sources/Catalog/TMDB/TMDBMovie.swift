import Fetch
import JSON

/// A movie in lists and details. Any field except the id may be missing, null or of an odd type.
struct TMDBMovie {
    private let id: Int
    private let json: JSON
    var poster: String?
    var backdrop: String?

    /// A movie of which only the id is known.
    init(id: Int) {
        self.id = id
        json = .null
    }

    /// Returns nil without an id.
    init?(_ json: JSON) {
        guard let id = json["id"].integer(in: Bounds.id) else { return nil }
        self.id = id
        self.json = json
        poster = json["poster_path"].string?.nonEmpty
        backdrop = json["backdrop_path"].string?.nonEmpty
    }

    /// A search that is limited to movies doesn't name the type.
    var isMovie: Bool { ["movie", nil].contains(json["media_type"].string) }

    /// Returns the poster, then the backdrop, each in every size.
    ///
    /// The details are unresolved without a poster, because ``TMDB/details(of:api:)`` may still
    /// find one.
    ///
    /// - Parameter names: of genres. Lists have only the genres' ids.
    func details(sizes: TMDBSizes, genres names: [Int: String]) -> ItemDetails {
        var entry = CatalogEntry(
            item: Item(source: "tmdb", kind: "movie", id: "\(id)"),
            title: json["title"].words ?? "Movie \(id)")
        entry.date = json["release_date"].string?.partialDate
        entry.subtitle = entry.date.map { String($0.prefix(4)) }
        let listed = (json["genre_ids"].elements ?? []).compactMap { id in
            id.integer().flatMap { names[$0] }
        }
        entry.genres = (Self.genres(json["genres"].elements).map(\.name) + listed)
            .compactMap(\.trimmed.nonEmpty)
        entry.summary = json["overview"].words
        entry.link = "https://www.themoviedb.org/movie/\(id)"
        let poster = sizes.candidates(poster, "poster", rank: 0)
        let backdrop = sizes.candidates(backdrop, "backdrop", rank: 1)
        return ItemDetails(
            entry: entry, chain: poster + backdrop, isResolved: !poster.isEmpty)
    }

    /// Returns the genres in a list of them, without those that lack an id or a name.
    static func genres(_ list: [JSON]?) -> [(id: Int, name: String)] {
        (list ?? []).compactMap { genre in
            guard let id = genre["id"].integer(), let name = genre["name"].string else {
                return nil
            }
            return (id, name)
        }
    }
}
