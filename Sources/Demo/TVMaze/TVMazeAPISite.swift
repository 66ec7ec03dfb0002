import PlayedAPIs

/// api.tvmaze.com: the index, single shows, their images, and search.
struct TVMazeAPISite: DemoSite {
    let catalog: ShowCatalog

    var hosts: [String] { [DemoShow.host] }

    func answer(_ request: DemoRequest) -> DemoAnswer {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: true)
        switch (parts.count, parts.first, parts.last) {
        case (1, "shows", _): return index(page: request.query["page"] ?? "0")
        case (2, "search", "shows"): return search(request.query["q"])
        case (2, "shows", let id?): return show(id, \.json)
        case (3, "shows", "images"): return show(parts[1], \.images)
        default: return notFound
        }
    }

    private var notFound: DemoAnswer {
        .json(TVMazeProblem.notFound.json, status: 404)
    }

    private func index(page: String) -> DemoAnswer {
        guard let number = Int(page), let shows = catalog.page(number) else { return notFound }
        return .json(.array(shows.map(\.json)))
    }

    private func show(_ id: Substring, _ body: (DemoShow) -> JSON) -> DemoAnswer {
        guard let number = Int(id), let show = catalog.show(number) else { return notFound }
        return .json(body(show))
    }

    /// The best ten of the titles that hold the term, or all of its words.
    private func search(_ term: String?) -> DemoAnswer {
        guard let term = term?.lowercased(), !term.isEmpty else {
            let problem = TVMazeProblem(
                status: 400, name: "Bad Request", message: "Missing required parameters: q")
            return .json(problem.json, status: 400)
        }
        let words = term.split(separator: " ")
        let hits = catalog.shows.compactMap { show -> (show: DemoShow, score: Double)? in
            let title = show.name.lowercased()
            guard !words.isEmpty, words.allSatisfy({ title.contains($0) }) else { return nil }
            let share = min(1, Double(term.count) / Double(title.count))
            return (show, title.contains(term) ? 0.5 + share / 2 : share / 2)
        }
        let best = hits.sorted { ($1.score, $0.show.id) < ($0.score, $1.show.id) }.prefix(10)
        return .json(.array(best.map { $0.show.hit(score: $0.score) }))
    }
}
