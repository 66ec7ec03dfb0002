package import Fetch

/// The Rijksmuseum's collection: objects and their pictures, as Linked Art and IIIF.
///
/// Source: <https://data.rijksmuseum.nl/docs/>. The records are CC0; each picture has its own
/// rights.
package struct Rijksmuseum: Source {
    package init() {}

    package var name: String { MuseumLink.source }
    package var title: String { "Rijksmuseum" }
    package var kinds: [String] { [MuseumLink.kind] }
    /// Artworks have no genres.
    package var filters: Set<String> { ["title", "from", "to"] }
    package func title(ofKind kind: String) -> String { "Artworks" }
    package var lists: [ListDescription] { [MuseumSearch.list] }
    package var tab: SourceTab? {
        SourceTab(
            subject: .artworks, shape: SourceTab.squares, isInRows: true, hasLanguages: true,
            credit: [
                .text("From the collection of the "),
                .link(title, to: "https://www.rijksmuseum.nl"), .text("."),
            ])
    }
    package var imageHosts: [HostPattern] { [ImageService.host] }

    package func item(kind: String, id: String) throws(Failure) -> Item {
        try numbered(kind: kind, id: id, atMostDigits: 20)
    }

    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        let item = try self.item(kind: item.kind, id: item.id)
        guard let link = MuseumLink(number: item.id) else {
            throw .notFound(reason: "Rijksmuseum has no object \(item.id.shortened).")
        }
        var walk = MuseumWalk(link, MuseumRecords(api: api))
        return try await walk.details(of: item)
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        let link = query.link
        let query = try self.query(list: query.list, parameters: query.parameters)
        let part = query.number(MuseumSearch.part) ?? 0
        var whole = query.with(MuseumSearch.part, nil)
        whole.link = link
        // Parts are of one answer. A client that starts again gets what the museum has now.
        let page = try await find(whole, part > 0 ? .whileFresh : .afterwards, api)
        let first = part * MuseumRecords.pageSize
        let end = first + MuseumRecords.pageSize
        return CatalogPage(
            items: try await MuseumRecords(api: api)
                .items(Array(page.objects.dropFirst(first).prefix(MuseumRecords.pageSize))),
            next: end < page.objects.count
                ? whole.with(MuseumSearch.part, part + 1) : next(page, after: whole),
            total: page.total, firstIndex: Self.isFirst(whole) ? first : nil)
    }

    /// Seconds for which parts are of one answer: as long as a page is fresh.
    private static let pageLifetime: Double = 900

    private static func isFirst(_ query: ListQuery) -> Bool {
        query.parameters[MuseumSearch.token] == nil
    }

    /// Asks the museum for one of its pages, which has the ids of a hundred objects.
    private func find(
        _ query: ListQuery, _ use: APICall.Keeping.Use, _ api: any APIReading
    ) async throws(Failure) -> MuseumSearch {
        let url = MuseumSearch.url(query.parameters)
        var call = APICall(url: query.link ?? url, allowedHosts: [MuseumLink.searchHost])
        call.keeping = APICall.Keeping(
            key: url, timeToLive: Self.pageLifetime, use: use,
            part: MuseumSearch.kept)
        let answer = try await api.read(call)
        // All parameters except the token were validated, so a 400 for a later page means a bad token.
        if answer.status == 400, !Self.isFirst(query) {
            throw .invalid(
                reason: "Rijksmuseum does not know this “\(MuseumSearch.token)”. Start without it."
            )
        }
        return try await answer.decoded(title, by: MuseumLink.searchHost, MuseumSearch.init)
    }

    /// Returns the query of the next page, as the museum gave it. A page that links to itself is
    /// the last.
    private func next(_ found: MuseumSearch, after query: ListQuery) -> ListQuery? {
        guard let link = found.next, let parameters = MuseumSearch.parameters(ofPage: link),
            // The museum's parameters are validated like a client's. A link with invalid ones can't
            // be followed, so this page becomes the last.
            var next = try? self.query(list: query.list, parameters: parameters), next != query
        else { return nil }
        next.link = link
        return next
    }
}

// MARK: - Hosts

extension Rijksmuseum {
    /// The museum publishes no limits and asks clients to be polite. A page of twenty objects
    /// needs a call for each, and their pictures need three more.
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] {
        let records = HostPolicy(maxConcurrent: 4, rate: .init(count: 10, per: .seconds(1)))
        return [
            (MuseumLink.searchHost, records), (MuseumLink.recordHost, records),
            (ImageService.host, HostPolicy(maxConcurrent: 4)),
        ]
    }
}
