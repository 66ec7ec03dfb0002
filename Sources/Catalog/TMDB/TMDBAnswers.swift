/// A page of a list.
struct TMDBPage: Decodable {
    var results: [Lenient<TMDBMovie>]
    /// May be larger than the number of readable pages.
    var totalPages: Int?
    var totalResults: Int?

    private enum Key: String, CodingKey {
        case results
        case totalPages = "total_pages"
        case totalResults = "total_results"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        results = try fields.decode([Lenient<TMDBMovie>].self, forKey: .results)
        totalPages = fields.count(.totalPages)
        totalResults = fields.count(.totalResults)
    }
}

/// The list of genres. It changes, and movies may have genres that it doesn't contain.
struct TMDBGenres: Decodable {
    let names: [Int: String]

    private enum Key: String, CodingKey { case genres }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        let genres = try fields.decode([Lenient<TMDBGenre>].self, forKey: .genres)
            .compactMap(\.value)
        names = Dictionary(genres.map { ($0.id, $0.name) }) { first, _ in first }
    }
}

/// The body of an error response.
struct TMDBStatus: Decodable, Equatable {
    var code: Int

    private enum CodingKeys: String, CodingKey { case code = "status_code" }

    static let invalidPage = TMDBStatus(code: 22)
    /// Codes for an item that TMDB doesn't have: "Invalid id" and "could not be found".
    private static let absence = [6, 34]

    /// Returns whether TMDB says that the item doesn't exist. A 404 may also be about the service.
    static func isAbsent(_ answer: APIAnswer) -> Bool {
        answer.status == 410
            || answer.status == 404 && of(answer).map { absence.contains($0.code) } ?? true
    }

    /// Returns `nil` if the body is something else.
    static func of(_ answer: APIAnswer) -> TMDBStatus? {
        // Without a code the HTTP status decides.
        try? answer.decoded(TMDBStatus.self, from: "TMDB")
    }
}
