/// Writes films in the shape of TMDB's API, version 3.
struct TMDBJSON: Sendable {
    let catalogue: FilmCatalogue
    /// The other catalogue's, which are known here without pictures.
    let shows: DemoCatalogue

    func list(_ results: [JSON], page: Int, pages: Int, total: Int) -> JSON {
        [
            "page": .integer(page), "results": .array(results), "total_pages": .integer(pages),
            "total_results": .integer(total),
        ]
    }

    /// As an element of a list; `media` is told where there are several.
    func film(_ film: DemoFilm, media: Bool = false) -> JSON {
        (media ? ["media_type": "movie"] : [:]) + common(film) + genreIDs(of: film)
    }

    /// As `/movie/{id}` has it.
    func details(_ film: DemoFilm) -> JSON {
        let genres = film.genres.map { genre in
            ["id": .integer(genre.rawValue), "name": .string(genre.name)] as JSON
        }
        let studio: JSON = [
            "id": .integer(900 + film.studio.count),
            "logo_path": .null,
            "name": .string(film.studio),
            "origin_country": "",
        ]
        let language: JSON = [
            "iso_639_1": .string(film.language),
            "name": "",
        ]
        return common(film) + [
            "belongs_to_collection": .null, "budget": .integer(0), "genres": .array(genres),
            "homepage": "", "imdb_id": .null, "production_companies": [studio],
            "production_countries": [], "revenue": .integer(0),
            "runtime": .integer(film.runtime), "spoken_languages": [language],
            "status": "Released", "tagline": .string(film.tagline),
        ]
    }

    /// As `/movie/{id}/images` has it: `languages` are those wanted, `null` among them for pictures
    /// without words; `nil` wants all.
    func images(of film: DemoFilm, languages: Set<String>?) -> JSON {
        func wanted(_ images: [TMDBImage]) -> JSON {
            .array(
                images.filter { languages?.contains($0.language ?? "null") != false }
                    .map(image))
        }
        return [
            "backdrops": wanted(TMDBImage.backdrops(of: film)), "id": .integer(film.id),
            "logos": [], "posters": wanted(TMDBImage.posters(of: film)),
        ]
    }

    /// Known for films, and many for a show.
    func person(_ person: FilmPerson) -> JSON {
        let shows = person.number.isMultiple(of: 2) ? [] : shows.shows.prefix(1)
        return [
            "media_type": "person", "adult": false, "gender": 0, "id": .integer(person.id),
            "known_for": .array(
                catalogue.films(with: person).map { film($0, media: true) }
                    + shows.map(show)), "known_for_department": "Directing",
            "name": .string(person.name), "popularity": .number(Double(person.number) / 10 + 0.6),
            "profile_path": .string(TMDBImage(subject: .profile(person.number)).path),
        ]
    }

    /// A show of the other catalogue; none has pictures here.
    func show(_ show: DemoShow) -> JSON {
        [
            "media_type": "tv", "backdrop_path": .null,
            "first_air_date": .string(show.premiered ?? ""), "genre_ids": [],
            "id": .integer(20_000 + show.id), "name": .string(show.title),
            "origin_country": JSON(strings: show.channel.country.map { [$0.code] } ?? []),
            "original_language": "en", "original_name": .string(show.title), "overview": "",
            "popularity": .number(0.6), "poster_path": .null, "vote_average": 0, "vote_count": 0,
        ]
    }

    func problem(_ code: Int, _ message: String) -> JSON {
        ["status_code": .integer(code), "status_message": .string(message), "success": false]
    }

    private func common(_ film: DemoFilm) -> JSON {
        [
            "adult": .bool(false), "backdrop_path": JSON(TMDBImage.backdrops(of: film).first?.path),
            "id": .integer(film.id), "original_language": .string(film.language),
            "original_title": .string(film.title),
            "overview": .string(FilmWriter.overview(of: film, seed: catalogue.seed)),
            "popularity": .number(Double(film.popularity) / 1_000),
            "poster_path": JSON(TMDBImage.posters(of: film).first?.path),
            "release_date": .string(film.date), "title": .string(film.title), "video": .bool(false),
            "vote_average": .number(Double(film.vote) / 1_000), "vote_count": .integer(film.votes),
        ]
    }

    /// Some films still have a genre that the list no longer has.
    private func genreIDs(of film: DemoFilm) -> JSON {
        let retired = film.number % 17 == 4 ? [JSON.integer(10_769)] : []
        return ["genre_ids": .array(film.genres.map { .integer($0.rawValue) } + retired)]
    }

    private func image(_ image: TMDBImage) -> JSON {
        let (width, height) = image.pixels
        let ratio = (Double(width) / Double(height) * 1_000).rounded() / 1_000
        return [
            "aspect_ratio": .number(ratio), "height": .integer(height),
            "iso_639_1": JSON(image.language), "file_path": .string(image.path),
            "vote_average": .number(5.384), "vote_count": .integer(height / 60),
            "width": .integer(width),
        ]
    }
}
