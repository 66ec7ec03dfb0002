package import Fetch
import Synchronization

/// The Rijksmuseum's collection: objects and their pictures, as Linked Art and IIIF.
///
/// Source: <https://data.rijksmuseum.nl/docs/>. The records are CC0; each picture has its own
/// rights.
package struct Rijksmuseum: Source {
    private let links = MuseumPageLinks()
    private let found: MuseumFoundPages

    /// - Parameter now: returns the time of a monotonic clock.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        found = MuseumFoundPages(now: now)
    }

    package var name: String { MuseumLink.source }
    package var title: String { "Rijksmuseum" }
    package var kinds: [String] { [MuseumLink.kind] }
    package func title(ofKind kind: String) -> String { "Artworks" }
    package var lists: [ListDescription] { [MuseumSearch.list] }
    package var imageHosts: [HostPattern] { [MuseumHosts.images] }
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { MuseumHosts.policies }

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
        let query = try self.query(list: query.list, parameters: query.parameters)
        let part = query.number(MuseumSearch.part) ?? 0
        let whole = query.with(MuseumSearch.part, nil)
        // A client that starts again gets what the museum has now.
        let known = part > 0 ? found.page(whole) : nil
        let page = if let known { known } else { try await find(whole, api) }
        let first = part * MuseumPage.size
        let end = first + MuseumPage.size
        return CatalogPage(
            items: try await MuseumPage(records: MuseumRecords(api: api))
                .items(Array(page.objects.dropFirst(first).prefix(MuseumPage.size))),
            next: end < page.objects.count
                ? whole.with(MuseumSearch.part, part + 1) : next(page, after: whole),
            total: page.total, firstIndex: Self.isFirst(whole) ? first : nil)
    }

    private static func isFirst(_ query: ListQuery) -> Bool {
        query.parameters[MuseumSearch.token] == nil
    }

    /// Asks the museum for one of its pages, which has the ids of a hundred objects.
    private func find(
        _ query: ListQuery, _ api: any APIReading
    ) async throws(Failure) -> MuseumSearchPage {
        let answer = try await api.read(
            APICall(
                url: links.link(to: query) ?? MuseumSearch.url(query.parameters),
                allowedHosts: [MuseumHosts.search]))
        // All parameters except the token were validated, so a 400 for a later page means a bad token.
        if answer.status == 400, !Self.isFirst(query) {
            throw .invalid(
                reason: "Rijksmuseum does not know this “\(MuseumSearch.token)”. Start without it."
            )
        }
        let page = try answer.decoded(title, by: MuseumHosts.search, MuseumSearchPage.init)
        found.note(page, for: query)
        return page
    }

    /// Returns the query of the next page, as the museum gave it. A page that links to itself is
    /// the last.
    private func next(_ found: MuseumSearchPage, after query: ListQuery) -> ListQuery? {
        guard let link = found.next, let parameters = MuseumSearch.parameters(ofPage: link),
            // The museum's parameters are validated like a client's. A link with invalid ones can't
            // be followed, so this page becomes the last.
            let next = try? self.query(list: query.list, parameters: parameters), next != query
        else { return nil }
        links.note(link, to: next)
        return next
    }
}

/// The museum's links to later pages, which are followed unchanged. Thread-safe.
///
/// After a restart a page's link is unknown. The page is then requested by its parameters, which
/// mean the same.
final class MuseumPageLinks: Sendable {
    private let links = Mutex<(known: [ListQuery: String], order: [ListQuery])>(([:], []))

    /// Limit of stored links; the oldest is evicted first. Each leads to a page of a hundred
    /// objects.
    private static let atMost = 1_000

    func link(to query: ListQuery) -> String? { links.withLock { $0.known[query] } }

    func note(_ link: String, to query: ListQuery) {
        links.withLock { links in
            if links.known.updateValue(link, forKey: query) == nil { links.order.append(query) }
            if links.order.count > Self.atMost { links.known[links.order.removeFirst()] = nil }
        }
    }
}

/// The museum's pages of a few minutes, so that the parts of one are of one answer. Thread-safe.
final class MuseumFoundPages: Sendable {
    private struct Known {
        var page: MuseumSearchPage
        var at: ContinuousClock.Instant
    }

    private let pages = Mutex<[ListQuery: Known]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// As long as a page is fresh.
    private static let lifetime = Duration.seconds(900)
    /// Limit of pages, each with the ids of a hundred objects; the oldest is dropped first.
    private static let atMost = 100

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    func page(_ query: ListQuery) -> MuseumSearchPage? {
        pages.withLock { pages in
            guard let known = pages[query], now() - known.at < Self.lifetime else { return nil }
            return known.page
        }
    }

    func note(_ page: MuseumSearchPage, for query: ListQuery) {
        pages.withLock { pages in
            pages[query] = Known(page: page, at: now())
            if pages.count > Self.atMost, let oldest = pages.min(by: { $0.value.at < $1.value.at })
            {
                pages[oldest.key] = nil
            }
        }
    }
}
