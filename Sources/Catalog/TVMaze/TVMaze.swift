package import Fetch
import JSON

/// TVmaze's public API: shows and their posters.
///
/// Source: <https://www.tvmaze.com/api>. The data is CC BY-SA: credit and link back.
package struct TVMaze: Source {
    package init() {}

    package var name: String { "tvmaze" }
    package var title: String { "TVmaze" }
    package var kinds: [String] { ["show", "poster"] }
    package func title(ofKind kind: String) -> String {
        kind == "poster" ? "TV posters" : "TV shows"
    }
    package var lists: [ListDescription] { Self.lists }
    private static let lists = [
        ListDescription(
            "shows", title: "TV shows", [ListParameter("page", .page(pages))],
            tabTitle: "all"),
        ListDescription("search", title: "TV shows", [ListParameter("q", .term)]),
    ]

    package var tab: SourceTab? {
        SourceTab(
            subject: .shows, shape: SourceTab.posters,
            credit: [
                .text("Data and pictures by "), .link(title, to: "https://www.tvmaze.com"),
                .text(", CC BY-SA."),
            ])
    }

    /// A show's list picture is small; its poster is the one for a detail view.
    package func detail(of item: Item) -> Item? {
        item.kind == "show" ? Item(source: name, kind: "poster", id: item.id) : nil
    }

    package var imageHosts: [HostPattern] { [Self.pictureHost] }

    /// Real lists end long before. The bound keeps page numbers from becoming arbitrary keys.
    private static let pages = 0...100_000
    /// Ids per page, so at most this many items per earlier page.
    private static let idsPerPage = 250

    package func item(kind: String, id: String) throws(Failure) -> Item {
        try numbered(kind: kind, id: id, atMostDigits: 10)
    }

    /// A poster's title comes from the show's id, because `/shows/{id}/images` has no names. A
    /// second call for the name would halve the rate of warming, so only
    /// ``completeDetails(of:api:)`` makes it.
    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        let item = try self.item(kind: item.kind, id: item.id)
        let isPoster = item.kind == "poster"
        let answer = try await read("/shows/\(item.id)\(isPoster ? "/images" : "")", api)
        if [404, 410].contains(answer.status) {
            throw .notFound(reason: "TVmaze has no show \(item.id).")
        }
        guard isPoster else {
            var details = try await answer.decoded(title, by: Self.apiHost, Self.details(ofShow:))
            details.entry.item = item
            return details
        }
        return try await answer.decoded(title, by: Self.apiHost) { json in
            json.elements.map { Self.details(ofPoster: item, $0) }
        }
    }

    package func completeDetails(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        var details = try await details(of: item, api: api)
        guard item.kind == "poster" else { return details }
        do throws(Failure) {
            let show = try await self.details(
                of: Item(source: name, kind: "show", id: details.entry.item.id), api: api)
            let poster = details.entry.item
            details.entry = show.entry
            details.entry.item = poster
            details.isComplete = true
        } catch {
            // The poster is known all the same.
            guard error.isTransient || error.kind == .notFound else { throw error }
        }
        return details
    }

    /// Falls back from a poster to its show for any failure of the list of images.
    package func remainder(of item: Item) -> [ChainStep] {
        item.kind == "poster" ? [.item(Item(source: name, kind: "show", id: item.id))] : []
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        let query = try self.query(list: query.list, parameters: query.parameters)
        if let term = query.parameters["q"] {
            let shows = try await read("/search/shows?q=\(term.percentEncoded)", api)
                .decoded(title, by: Self.apiHost) { hits in
                    hits.elements?.compactMap { Self.details(ofShow: $0["show"]) }
                }
            return CatalogPage(items: shows, next: nil, firstIndex: 0)
        }
        let number = query.number("page") ?? 0
        let answer = try await read("/shows?page=\(number)", api)
        // A 404 is the only sign of the end: pages cover 250 ids each and are often short.
        if answer.status == 404 { return nil }
        let shows = try await answer.decoded(title, by: Self.apiHost) { shows in
            shows.elements?.compactMap(Self.details(ofShow:))
        }
        return CatalogPage(
            items: shows,
            next: number < Self.pages.upperBound ? query.with("page", number + 1) : nil,
            firstIndex: number * Self.idsPerPage)
    }

    private func read(
        _ path: String, _ api: any APIReading
    ) async throws(Failure) -> APIAnswer {
        try await api.read(
            APICall(url: "https://\(Self.apiHost)\(path)", allowedHosts: [Self.apiHost]))
    }
}

// MARK: - Answers

extension TVMaze {
    /// Size of a poster that the API calls medium, in pixels. The address doesn't contain it.
    private static let mediumPoster = PictureBox(width: 210, height: 295)

    /// Returns a show's entry and its chain: the medium picture, then the original. Returns nil without an id.
    private static func details(ofShow show: JSON) -> ItemDetails? {
        guard let id = show["id"].integer(in: Bounds.id) else { return nil }
        var entry = CatalogEntry(
            item: Item(source: "tvmaze", kind: "show", id: "\(id)"),
            title: show["name"].words ?? "Show \(id)")
        let channel = show["network"]["name"].string ?? show["webChannel"]["name"].string
        entry.subtitle = channel?.trimmed.nonEmpty
        entry.date = show["premiered"].string?.partialDate
        entry.genres = show["genres"].elements?.compactMap(\.words) ?? []
        entry.summary = show["summary"].string.flatMap { HTMLText.plain($0).nonEmpty }
        entry.link = show["url"].url(on: Self.sites)
        let steps = [
            show["image"]["medium"].candidate(
                on: Self.pictureHost, "medium", width: mediumPoster.width,
                height: mediumPoster.height),
            show["image"]["original"].candidate(on: Self.pictureHost, "original"),
        ]
        return ItemDetails(entry: entry, chain: steps.compactMap(\.self))
    }

    /// Returns the main poster, then the first one, then the show's list picture.
    ///
    /// The main poster is often not the first, and only posters count: the first image of any kind
    /// may be a backdrop.
    private static func details(ofPoster item: Item, _ images: [JSON]) -> ItemDetails {
        let posters = images.filter { $0["type"].string == "poster" }
        let main = posters.firstIndex { $0["main"] == .flag(true) }
        var chain: [ChainStep] = []
        if let main { chain += steps(posters[main], named: "main poster", rank: 0) }
        if let first = posters.first, main != 0 {
            chain += steps(first, named: "first poster", rank: 1)
        }
        chain.append(.item(Item(source: item.source, kind: "show", id: item.id)))
        var entry = CatalogEntry(item: item, title: "Poster of show \(item.id)")
        entry.link = "https://www.tvmaze.com/shows/\(item.id)"
        return ItemDetails(entry: entry, chain: chain, isComplete: false)
    }

    private static func steps(_ image: JSON, named name: String, rank: Int) -> [ChainStep] {
        ["original", "medium"].compactMap { size in
            let file = image["resolutions"][size]
            return file["url"].candidate(
                on: Self.pictureHost, "\(name) (\(size))", rank: rank,
                width: file["width"].pixels, height: file["height"].pixels)
        }
    }
}

// MARK: - Hosts

extension TVMaze {
    static let apiHost = HostPattern("api.tvmaze.com")
    static let pictureHost = HostPattern("static.tvmaze.com")
    static let sites = [HostPattern("tvmaze.com"), HostPattern("www.tvmaze.com")]

    /// The API allows 20 calls in 10 s and few idle connections. The image host publishes no limit.
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] {
        [
            (
                Self.apiHost,
                HostPolicy(maxConcurrent: 4, rate: .init(count: 20, per: .seconds(10)))
            ),
            (Self.pictureHost, HostPolicy(maxConcurrent: 16)),
        ]
    }
}
