/// A movie in lists and details. Any field except the id may be missing, null or of an odd type.
struct TMDBMovie: Decodable {
    private var id: Int
    private var name: String?
    private var releaseDate: String?
    private var overview: String?
    /// Set in lists.
    private var genreIDs: [Int]
    /// Set in details.
    private var genres: [TMDBGenre]
    /// `nil` if the search was limited to movies.
    private var mediaType: String?
    var posterPath: String?
    var backdropPath: String?

    private enum Key: String, CodingKey {
        case id, title, overview, genres
        case releaseDate = "release_date"
        case genreIDs = "genre_ids"
        case mediaType = "media_type"
        case posterPath = "poster_path"
        case backdropPath = "backdrop_path"
    }

    /// A movie of which only the id is known.
    init(id: Int) {
        self.id = id
        genreIDs = []
        genres = []
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        id = try fields.decode(Int.self, forKey: .id)
        guard (1...9_999_999_999).contains(id) else {
            throw fields.mismatch(.id, "not a movie's id")
        }
        name = fields.lenient(String.self, .title)
        releaseDate = fields.lenient(String.self, .releaseDate)
        overview = fields.lenient(String.self, .overview)
        genreIDs = fields.lenientArray(Int.self, .genreIDs)
        genres = fields.lenientArray(TMDBGenre.self, .genres)
        mediaType = fields.lenient(String.self, .mediaType)
        posterPath = fields.lenient(String.self, .posterPath)?.nonEmpty
        backdropPath = fields.lenient(String.self, .backdropPath)?.nonEmpty
    }

    var isMovie: Bool { mediaType == nil || mediaType == "movie" }

    /// Returns the poster, then the backdrop, each in every size.
    ///
    /// The details are unresolved without a poster, because ``TMDB/details(of:api:)`` may still
    /// find one.
    func details(sizes: TMDBSizes, genres names: [Int: String]) -> ItemDetails {
        var entry = CatalogEntry(
            item: Item(source: "tmdb", kind: "movie", id: "\(id)"),
            title: name?.trimmed.nonEmpty ?? "Movie \(id)")
        entry.date = releaseDate?.partialDate
        entry.subtitle = entry.date.map { String($0.prefix(4)) }
        entry.genres = (genres.map(\.name) + genreIDs.compactMap { names[$0] })
            .compactMap(\.trimmed.nonEmpty)
        entry.summary = overview?.trimmed.nonEmpty
        entry.link = "https://www.themoviedb.org/movie/\(id)"
        let poster = posterPath.map { sizes.candidates(poster: $0, rank: 0) } ?? []
        let backdrop = backdropPath.map { sizes.candidates(backdrop: $0, rank: 1) } ?? []
        return ItemDetails(
            entry: entry, chain: (poster + backdrop).map(ChainStep.candidate),
            isResolved: !poster.isEmpty)
    }
}

struct TMDBGenre: Decodable {
    var id: Int
    var name: String
}
