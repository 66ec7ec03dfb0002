package import Fetch
import Synchronization

/// The Rijksmuseum's collection: objects and their pictures, as Linked Art and IIIF.
///
/// Source: <https://data.rijksmuseum.nl/docs/>. The records are CC0; each picture has its own
/// rights.
package struct Rijksmuseum: Source {
    private let links = MuseumPageLinks()

    package init() {}

    static let list = "objects"

    package var name: String { MuseumLink.source }
    package var title: String { "Rijksmuseum" }
    package var kinds: [String] { [MuseumLink.kind] }
    package var lists: [String] {
        let names = MuseumSearch.parameters + [MuseumSearch.token]
        return ["\(Self.list)?\(names.map { "\($0)=" }.joined(separator: "&"))"]
    }
    package var termParameter: String { "title" }
    package var pageParameter: String? { nil }
    package var imageHosts: [HostPattern] { [MuseumHosts.images] }

    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { MuseumHosts.policies }

    package func ownFilters(ofList list: String) -> Set<String> { ["title"] }

    package func item(kind: String, id: String) throws(Failure) -> Item {
        guard kind == MuseumLink.kind else {
            throw .notFound(
                reason: "Rijksmuseum has no kind “\(kind.shortened)”; it has “\(MuseumLink.kind)”.")
        }
        guard let number = id.itemNumber(atMostDigits: 20) else {
            throw .invalid(
                reason: """
                    A Rijksmuseum id is a positive number of at most 20 digits, not \
                    “\(id.shortened)”.
                    """)
        }
        return Item(source: name, kind: kind, id: number)
    }

    package func query(
        list: String, parameters: [String: String]
    ) throws(Failure) -> ListQuery {
        guard list == Self.list else {
            throw .notFound(
                reason: "Rijksmuseum has no list “\(list.shortened)”; it has “\(Self.list)”.")
        }
        return ListQuery(
            source: name, list: list, parameters: try MuseumSearch(parameters).values)
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
        let search = try MuseumSearch(query.parameters)
        let answer = try await api.read(
            APICall(url: links.link(to: query) ?? search.url, allowedHosts: [MuseumHosts.search]))
        guard answer.isSuccess else { throw refusal(of: search, answer) }
        let found = try answer.decoded(MuseumSearchPage.self, from: title)
        return CatalogPage(
            items: try await MuseumPage(records: MuseumRecords(api: api)).items(found.objects),
            next: next(found, after: query), total: found.total,
            firstIndex: search.isFirstPage ? 0 : nil)
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

    /// All parameters except the token were validated, so a 400 for a later page means a bad token.
    private func refusal(of search: MuseumSearch, _ answer: APIAnswer) -> Failure {
        guard answer.status == 400, !search.isFirstPage else {
            return answer.refusal(by: MuseumHosts.search)
        }
        return .invalid(
            reason: "Rijksmuseum does not know this “\(MuseumSearch.token)”. Start without it."
        )
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
