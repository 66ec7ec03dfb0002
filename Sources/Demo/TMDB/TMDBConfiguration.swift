/// The document from which clients build addresses of pictures.
enum TMDBConfiguration {
    static let json: JSON = [
        "images": [
            "base_url": "http://image.tmdb.org/t/p/",
            "secure_base_url": "https://image.tmdb.org/t/p/",
            "backdrop_sizes": JSON(strings: TMDBImage.backdropSizes),
            "logo_sizes": JSON(strings: ["w45", "w92", "w154", "w185", "w300", "w500", "original"]),
            "poster_sizes": JSON(strings: TMDBImage.posterSizes),
            "profile_sizes": JSON(strings: TMDBImage.profileSizes),
            "still_sizes": JSON(strings: ["w92", "w185", "w300", "original"]),
        ],
        "change_keys": JSON(strings: [
            "adult", "cast", "genres", "images", "overview", "runtime", "title",
        ]),
    ]

    static let genres: JSON = [
        "genres": .array(
            FilmGenre.allCases.map { genre in
                ["id": .integer(genre.rawValue), "name": .string(genre.name)]
            })
    ]
}
