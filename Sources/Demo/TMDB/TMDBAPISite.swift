/// api.themoviedb.org: lists of films, searches, films and their pictures; for the holders of a key.
struct TMDBAPISite: DemoSite {
    let catalogue: FilmCatalogue
    /// Found by the search for everything, without pictures.
    let shows: DemoCatalogue
    let token: String
    private let json: TMDBJSON

    /// What the real one said of its popular films; pages over 500 are refused all the same.
    static let popularPages = 40_563

    init(catalogue: FilmCatalogue, shows: DemoCatalogue, token: String) {
        self.catalogue = catalogue
        self.shows = shows
        self.token = token
        json = TMDBJSON(catalogue: catalogue, shows: shows)
    }

    var hosts: [String] { ["api.themoviedb.org"] }

    func answer(_ request: DemoRequest) -> DemoAnswer {
        guard request.authorization == "Bearer \(token)" || request.query["api_key"] == token
        else {
            return problem(401, 7, "Invalid API key: You must be granted a valid key.")
        }
        guard request.path.hasPrefix("/3/") else { return unknown }
        let query = request.query
        switch request.path.dropFirst(3) {
        case "configuration": return .json(TMDBConfiguration.json)
        case "genre/movie/list": return .json(TMDBConfiguration.genres)
        case "movie/popular": return popular(query)
        case "movie/top_rated":
            return page(query) { page in
                list(
                    catalogue.topRated(page: page).map { json.film($0) }, page: page,
                    total: catalogue.topRatedCount)
            }
        case "search/movie":
            let films = catalogue.films(for: query["query"] ?? "")
            return search(query, films.map { film in { json.film(film) } })
        case "search/multi": return everything(query)
        default: return film(request.segments.dropFirst(), query)
        }
    }

    private func popular(_ query: [String: String]) -> DemoAnswer {
        page(query) { page in
            .json(
                json.list(
                    catalogue.popular(page: page).map { json.film($0) }, page: page,
                    pages: Self.popularPages, total: Self.popularPages * 20 - 15))
        }
    }

    private func everything(_ query: [String: String]) -> DemoAnswer {
        let term = query["query"] ?? ""
        let words = SearchWords(term)
        let people = catalogue.people(for: term).map { person in { json.person(person) } }
        let films = catalogue.films(for: term).map { film in { json.film(film, media: true) } }
        let found = shows.shows.filter { words.begin($0.title) }
        let mixed = found.map { show in { json.show(show) } }
        return search(query, people + mixed.prefix(5) + films + mixed.dropFirst(5))
    }

    private func film(_ parts: ArraySlice<Substring>, _ query: [String: String]) -> DemoAnswer {
        let parts = Array(parts)
        guard 2...3 ~= parts.count, parts[0] == "movie",
            parts.count == 2 || parts[2] == "images"
        else { return unknown }
        guard let id = Int(parts[1]) else {
            return problem(404, 6, "Invalid id: The pre-requisite id is invalid or not found.")
        }
        guard let film = catalogue.film(id: id) else { return unknown }
        if parts.count == 2 { return .json(json.details(film)) }
        // A language leaves only pictures with words in it, unless others are named as well.
        let languages =
            query["include_image_language"] ?? query["language"].map { $0.prefix(2) + "" }
        return .json(
            json.images(
                of: film,
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
        .json(json.list(results, page: page, pages: (total + 19) / 20, total: total))
    }

    private func page(_ query: [String: String], _ body: (Int) -> DemoAnswer) -> DemoAnswer {
        guard let page = Int(query["page"] ?? "1"), 1...FilmCatalogue.maxPage ~= page else {
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
        .json(json.problem(code, message), status: status)
    }
}
