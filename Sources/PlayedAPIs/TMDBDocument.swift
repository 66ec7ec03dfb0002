/// The documents of TMDB's API, version 3.
package enum TMDBDocument {
    package static let host = "api.themoviedb.org"
    package static let imageHost = "image.tmdb.org"

    package static let posterSizes = ["w92", "w154", "w185", "w342", "w500", "w780", "original"]
    package static let backdropSizes = ["w300", "w780", "w1280", "original"]
    package static let profileSizes = ["w45", "w185", "h632", "original"]

    /// The document from which clients build addresses of pictures.
    package static func configuration(
        posters: [String] = posterSizes, backdrops: [String] = backdropSizes
    ) -> JSON {
        [
            "images": [
                "base_url": "http://\(imageHost)/t/p/",
                "secure_base_url": "https://\(imageHost)/t/p/",
                "backdrop_sizes": JSON(strings: backdrops),
                "logo_sizes": JSON(strings: [
                    "w45", "w92", "w154", "w185", "w300", "w500", "original",
                ]),
                "poster_sizes": JSON(strings: posters),
                "profile_sizes": JSON(strings: profileSizes),
                "still_sizes": JSON(strings: ["w92", "w185", "w300", "original"]),
            ],
            "change_keys": JSON(strings: [
                "adult", "cast", "genres", "images", "overview", "runtime", "title",
            ]),
        ]
    }

    package typealias Genre = (id: Int, name: String)

    package static func genres(_ genres: [Genre]) -> JSON { ["genres": list(genres)] }

    fileprivate static func list(_ genres: [Genre]) -> JSON {
        .array(genres.map { ["id": .integer($0.id), "name": .string($0.name)] })
    }

    /// One page of a list or of a search.
    package static func page(
        _ results: [JSON], page: Int = 1, pages: Int = 1, total: Int? = nil
    ) -> JSON {
        [
            "page": .integer(page), "results": .array(results), "total_pages": .integer(pages),
            "total_results": .integer(total ?? results.count),
        ]
    }

    /// An element of the lists in ``images(of:posters:backdrops:)``.
    package static func image(
        _ path: String, language: String? = nil, width: Int = 1_000, height: Int = 1_500
    ) -> JSON {
        let ratio = (Double(width) / Double(height) * 1_000).rounded() / 1_000
        return [
            "aspect_ratio": .number(ratio), "height": .integer(height),
            "iso_639_1": JSON(language), "file_path": .string(path),
            "vote_average": .number(5.384), "vote_count": .integer(height / 60),
            "width": .integer(width),
        ]
    }

    /// `/movie/{id}/images`.
    package static func images(of id: Int, posters: [JSON], backdrops: [JSON] = []) -> JSON {
        [
            "backdrops": .array(backdrops), "id": .integer(id), "logos": [],
            "posters": .array(posters),
        ]
    }

    /// An element of a search for everything, known for films and shows.
    package static func person(
        id: Int, name: String, popularity: Double, picture: String, knownFor: [JSON]
    ) -> JSON {
        [
            "media_type": "person", "adult": false, "gender": 0, "id": .integer(id),
            "known_for": .array(knownFor), "known_for_department": "Directing",
            "name": .string(name), "popularity": .number(popularity),
            "profile_path": .string(picture),
        ]
    }

    /// A show without pictures, an element of a search for everything.
    package static func show(id: Int, name: String, date: String, countries: [String]) -> JSON {
        [
            "media_type": "tv", "backdrop_path": .null, "first_air_date": .string(date),
            "genre_ids": [], "id": .integer(id), "name": .string(name),
            "origin_country": JSON(strings: countries), "original_language": "en",
            "original_name": .string(name), "overview": "", "popularity": .number(0.6),
            "poster_path": .null, "vote_average": 0, "vote_count": 0,
        ]
    }

    /// The body of errors.
    package static func problem(_ code: Int, _ message: String) -> JSON {
        ["status_code": .integer(code), "status_message": .string(message), "success": false]
    }
}

/// A movie as TMDB has it. The defaults are those of a made-up movie in a test.
package struct TMDBMovie: Sendable {
    package let id: Int
    package var title: String
    /// Paths below the sizes, `/abc.jpg`.
    package var poster: String?
    package var backdrop: String?
    package var language = "en"
    package var overview = ""
    package var popularity = 0.6
    /// ISO date, or empty.
    package var date = ""
    /// 0…10.
    package var vote = 0.0
    package var votes = 0

    package init(
        id: Int, title: String? = nil, poster: String? = nil, backdrop: String? = nil
    ) {
        self.id = id
        self.title = title ?? "Movie \(id)"
        self.poster = poster
        self.backdrop = backdrop
    }

    /// As an element of a list. Searches for everything tell its kind.
    package func listed(genres: [Int] = [], tellsKind: Bool = false) -> JSON {
        (tellsKind ? ["media_type": "movie"] : [:]) + common
            + ["genre_ids": .array(genres.map(JSON.integer))]
    }

    /// As `/movie/{id}` has it.
    package func details(
        genres: [TMDBDocument.Genre] = [], runtime: Int? = nil, studio: String = "Studio",
        tagline: String = ""
    ) -> JSON {
        let company: JSON = [
            "id": .integer(900 + studio.count), "logo_path": .null, "name": .string(studio),
            "origin_country": "",
        ]
        return common + [
            "belongs_to_collection": .null, "budget": 0, "genres": TMDBDocument.list(genres),
            "homepage": "", "imdb_id": .null, "production_companies": [company],
            "production_countries": [], "revenue": 0, "runtime": JSON(runtime),
            "spoken_languages": [["iso_639_1": .string(language), "name": ""]],
            "status": "Released", "tagline": .string(tagline),
        ]
    }

    private var common: JSON {
        [
            "adult": false, "backdrop_path": JSON(backdrop), "id": .integer(id),
            "original_language": .string(language), "original_title": .string(title),
            "overview": .string(overview), "popularity": .number(popularity),
            "poster_path": JSON(poster), "release_date": .string(date), "title": .string(title),
            "video": false, "vote_average": .number(vote), "vote_count": .integer(votes),
        ]
    }
}
