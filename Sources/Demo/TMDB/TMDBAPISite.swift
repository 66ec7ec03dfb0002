import PlayedAPIs

/// api.themoviedb.org: lists of films, searches, films and their pictures; for the holders of a key.
struct TMDBAPISite: DemoSite {
    let catalog: FilmCatalog
    /// Found by the search for everything, without pictures.
    let shows: ShowCatalog
    let token: String

    /// What the real one said of its popular films; pages over 500 are refused all the same.
    static let popularPages = 40_563

    var hosts: [String] { [TMDBDocument.host] }

    func answer(_ request: DemoRequest) -> DemoAnswer {
        guard request.authorization == "Bearer \(token)" || request.query["api_key"] == token
        else {
            return problem(401, 7, "Invalid API key: You must be granted a valid key.")
        }
        guard request.path.hasPrefix("/3/") else { return unknown }
        let query = request.query
        switch request.path.dropFirst(3) {
        case "configuration": return .json(TMDBDocument.configuration())
        case "genre/movie/list":
            return .json(TMDBDocument.genres(FilmGenre.all.map { ($0.id, $0.name) }))
        case "movie/popular": return popular(query)
        case "movie/top_rated":
            return page(query) { page in
                list(
                    catalog.topRated(page: page).map { listed($0) }, page: page,
                    total: catalog.topRatedCount)
            }
        case "search/movie":
            let films = catalog.films(for: query["query"] ?? "")
            return search(query, films.map { film in { listed(film) } })
        case "search/multi": return everything(query)
        default: return film(request.segments.dropFirst(), query)
        }
    }

    private func popular(_ query: [String: String]) -> DemoAnswer {
        page(query) { page in
            .json(
                TMDBDocument.page(
                    catalog.popular(page: page).map { listed($0) }, page: page,
                    pages: Self.popularPages, total: Self.popularPages * 20 - 15))
        }
    }

    private func everything(_ query: [String: String]) -> DemoAnswer {
        let term = query["query"] ?? ""
        let words = SearchWords(term)
        let people = catalog.people(for: term).map { person in { known(person) } }
        let films = catalog.films(for: term).map { film in { listed(film, tellsKind: true) } }
        let found = shows.shows.filter { words.begin($0.name) }
        let mixed = found.map { show in { known(show) } }
        return search(query, people + mixed.prefix(5) + films + mixed.dropFirst(5))
    }

    private func listed(_ film: DemoFilm, tellsKind: Bool = false) -> JSON {
        film.listed(seed: catalog.seed, tellsKind: tellsKind)
    }

    /// Known for films, and many for a show.
    private func known(_ person: FilmPerson) -> JSON {
        let films = catalog.films(with: person).map { listed($0, tellsKind: true) }
        let show = person.number.isMultiple(of: 2) ? nil : shows.shows.first
        return TMDBDocument.person(
            id: person.id, name: person.name, popularity: Double(person.number) / 10 + 0.6,
            picture: TMDBImage(subject: .profile(person.number)).path,
            knownFor: films + (show.map { [known($0)] } ?? []))
    }

    /// A show of TVmaze; none has pictures here.
    private func known(_ show: DemoShow) -> JSON {
        TMDBDocument.show(
            id: 20_000 + show.id, name: show.name, date: show.premiered ?? "",
            countries: show.channel?.country.map { [$0.code] } ?? [])
    }

    private func film(_ parts: ArraySlice<Substring>, _ query: [String: String]) -> DemoAnswer {
        let parts = Array(parts)
        guard 2...3 ~= parts.count, parts[0] == "movie",
            parts.count == 2 || parts[2] == "images"
        else { return unknown }
        guard let id = Int(parts[1]) else {
            return problem(404, 6, "Invalid id: The pre-requisite id is invalid or not found.")
        }
        guard let film = catalog.film(id: id) else { return unknown }
        if parts.count == 2 { return .json(film.details(seed: catalog.seed)) }
        // A language leaves only pictures with words in it, unless others are named as well.
        let languages =
            query["include_image_language"] ?? query["language"].map { $0.prefix(2) + "" }
        return .json(
            film.images(
                languages: languages.map { Set($0.split(separator: ",").map(String.init)) }))
    }

    /// Results are written only for the page that is asked for.
    private func search(_ query: [String: String], _ results: [() -> JSON]) -> DemoAnswer {
        page(query) { page in
            let part = results.dropFirst((page - 1) * 20).prefix(20).map { $0() }
            return list(part, page: page, total: results.count)
        }
    }

    private func list(_ results: [JSON], page: Int, total: Int) -> DemoAnswer {
        .json(
            TMDBDocument.page(results, page: page, pages: (total + 19) / 20, total: total))
    }

    private func page(_ query: [String: String], _ body: (Int) -> DemoAnswer) -> DemoAnswer {
        guard let page = Int(query["page"] ?? "1"), 1...FilmCatalog.maxPage ~= page else {
            return problem(
                400, 22,
                "Invalid page: Pages start at 1 and max at 500. They are expected to be an integer."
            )
        }
        return body(page)
    }

    private var unknown: DemoAnswer {
        problem(404, 34, "The resource you requested could not be found.")
    }

    private func problem(_ status: Int, _ code: Int, _ message: String) -> DemoAnswer {
        .json(TMDBDocument.problem(code, message), status: status)
    }
}
