package import JSON

/// The documents of TMDB's API, version 3, with the fields that a reader needs.
package enum TMDBDocument {
    package static let host = "api.themoviedb.org"
    package static let imageHost = "image.tmdb.org"

    package static let posterSizes = ["w92", "w154", "w185", "w342", "w500", "w780", "original"]
    package static let backdropSizes = ["w300", "w780", "w1280", "original"]

    /// The document from which clients build addresses of pictures.
    package static func configuration(
        posters: [String] = posterSizes, backdrops: [String] = backdropSizes
    ) -> JSON {
        [
            "images": [
                "base_url": "http://\(imageHost)/t/p/",
                "secure_base_url": "https://\(imageHost)/t/p/",
                "backdrop_sizes": JSON(backdrops), "poster_sizes": JSON(posters),
            ]
        ]
    }

    package typealias Genre = (id: Int, name: String)

    package static func genres(_ genres: [Genre]) -> JSON {
        ["genres": .list(genres.map { ["id": .integer($0.id), "name": .text($0.name)] })]
    }

    /// One page of a list or of a search.
    package static func page(
        _ results: [JSON], page: Int = 1, pages: Int = 1, total: Int? = nil
    ) -> JSON {
        [
            "page": .integer(page), "results": .list(results), "total_pages": .integer(pages),
            "total_results": .integer(total ?? results.count),
        ]
    }

    /// An element of the lists in ``images(of:posters:backdrops:)``.
    package static func image(
        _ path: String, language: String? = nil, width: Int = 1_000, height: Int = 1_500
    ) -> JSON {
        [
            "height": .integer(height), "iso_639_1": JSON(language), "file_path": .text(path),
            "width": .integer(width),
        ]
    }

    /// `/movie/{id}/images`.
    package static func images(of id: Int, posters: [JSON], backdrops: [JSON] = []) -> JSON {
        [
            "backdrops": .list(backdrops), "id": .integer(id), "logos": [],
            "posters": .list(posters),
        ]
    }

    /// The body of errors.
    package static func problem(_ code: Int, _ message: String) -> JSON {
        ["status_code": .integer(code), "status_message": .text(message), "success": false]
    }
}

/// A movie as TMDB has it. The defaults are those of a made-up movie in a test.
package struct TMDBMovie: Sendable {
    package let id: Int
    package var title: String
    /// Paths below the sizes, `/abc.jpg`.
    package var poster: String?
    package var backdrop: String?
    package var overview = ""
    /// ISO date, or empty.
    package var date = ""

    package init(
        id: Int, title: String? = nil, poster: String? = nil, backdrop: String? = nil
    ) {
        self.id = id
        self.title = title ?? "Movie \(id)"
        self.poster = poster
        self.backdrop = backdrop
    }

    /// As an element of a list.
    package func listed(genres: [Int] = []) -> JSON {
        common + ["genre_ids": .list(genres.map(JSON.integer))]
    }

    /// As `/movie/{id}` has it.
    package func details(genres: [TMDBDocument.Genre] = []) -> JSON {
        common + TMDBDocument.genres(genres)
    }

    private var common: JSON {
        [
            "adult": false, "backdrop_path": JSON(backdrop), "id": .integer(id),
            "overview": .text(overview), "poster_path": JSON(poster),
            "release_date": .text(date), "title": .text(title),
        ]
    }
}
