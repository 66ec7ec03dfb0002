package import Fetch

/// TVmaze's public API: shows and their posters.
///
/// Source: <https://www.tvmaze.com/api>. The data is CC BY-SA: credit and link back.
package struct TVMaze: Source {
    package init() {}

    package var name: String { "tvmaze" }
    package var title: String { "TVmaze" }
    package var kinds: [String] { ["show", "poster"] }
    package var lists: [String] { ["shows?page=", "search?q="] }
    package var termParameter: String { "q" }
    package func title(of list: String) -> String {
        list == "poster" ? "TV posters" : "TV shows"
    }

    /// A show's list picture is small; its poster is the one for a detail view.
    package func detail(of item: Item) -> Item? {
        item.kind == "show" ? Item(source: name, kind: "poster", id: item.id) : nil
    }

    package var imageHosts: [HostPattern] { [TVMazeHosts.images] }

    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { TVMazeHosts.policies }

    /// Real lists end long before. The bound keeps page numbers from becoming arbitrary keys.
    static let pages = 0...100_000

    package func item(kind: String, id: String) throws(Failure) -> Item {
        guard kinds.contains(kind) else {
            throw .notFound("TVmaze has no kind", kind, among: kinds)
        }
        guard let number = id.itemNumber(atMostDigits: 10) else {
            throw .invalid(
                reason: """
                    A TVmaze id is a positive number of at most 10 digits, not \
                    “\(id.shortened)”.
                    """)
        }
        return Item(source: name, kind: kind, id: number)
    }

    package func query(
        list: String, parameters: [String: String]
    ) throws(Failure) -> ListQuery {
        let owner = "TVmaze's list “\(list.shortened)”"
        switch list {
        case "shows":
            let given = try Parameters(parameters, known: ["page"], owner: owner)
            return shows(page: try given.integer("page", in: Self.pages, default: 0))
        case "search":
            let given = try Parameters(parameters, known: ["q"], owner: owner)
            return ListQuery(source: name, list: list, parameters: ["q": try given.term("q")])
        default:
            throw .notFound("TVmaze has no list", list, among: ["shows", "search"])
        }
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
        switch answer.status {
        case 200..<300: break
        case 404, 410: throw .notFound(reason: "TVmaze has no show \(item.id).")
        default: throw answer.refusal(by: TVMazeHosts.api)
        }
        guard isPoster else {
            var details = try answer.decoded(TVMazeShow.self, from: title).details
            details.entry.item = item
            return details
        }
        let images = try answer.decoded([Lenient<TVMazeImage>].self, from: title)
        return TVMazeImage.details(ofPoster: item, images.compactMap(\.value))
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
            let answer = try await read("/search/shows?q=\(term.percentEncoded)", api)
            guard answer.isSuccess else { throw answer.refusal(by: TVMazeHosts.api) }
            let hits = try answer.decoded([Lenient<TVMazeHit>].self, from: title)
            return CatalogPage(
                items: hits.compactMap { $0.value?.show.details }, next: nil, firstIndex: 0)
        }
        let number = try Parameters(query.parameters, known: ["page"], owner: title)
            .integer("page", in: Self.pages, default: 0)
        let answer = try await read("/shows?page=\(number)", api)
        // A 404 is the only sign of the end: pages cover 250 ids each and are often short.
        if answer.status == 404 { return nil }
        guard answer.isSuccess else { throw answer.refusal(by: TVMazeHosts.api) }
        let shows = try answer.decoded([Lenient<TVMazeShow>].self, from: title)
        return CatalogPage(
            items: shows.compactMap { $0.value?.details },
            next: number < Self.pages.upperBound ? self.shows(page: number + 1) : nil,
            firstIndex: number * Self.idsPerPage)
    }

    /// Ids per page, so at most this many items per earlier page.
    private static let idsPerPage = 250

    private func shows(page: Int) -> ListQuery {
        ListQuery(source: name, list: "shows", parameters: ["page": String(page)])
    }

    private func read(
        _ path: String, _ api: any APIReading
    ) async throws(Failure) -> APIAnswer {
        try await api.read(
            APICall(url: "https://\(TVMazeHosts.api)\(path)", allowedHosts: [TVMazeHosts.api]))
    }
}
