package import Fetch
import Hashing

/// Apple's iTunes Search API: albums and their songs, without credentials.
///
/// Source: <https://performance-partners.apple.com/search-api>. Artwork may be used only to promote
/// the item in the store, beside a store badge.
package struct ITunes: Source {
    package init() {}

    package var name: String { "itunes" }
    package var title: String { "iTunes" }
    package var kinds: [String] { ["album"] }
    package var lists: [String] { ["albums?term="] }
    package var termParameter: String { "term" }
    package func title(of list: String) -> String { "Albums" }
    package var pageParameter: String? { nil }
    package var isFollowed: Bool { true }
    package var imageHosts: [HostPattern] { [ITunesHosts.images] }

    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { ITunesHosts.policies }

    /// Limit of results per call. The API has no pages, so this bounds the whole list.
    static let limit = 200
    /// The store that is searched. The API requires one and can't search all stores.
    static let country = "US"

    package func item(kind: String, id: String) throws(Failure) -> Item {
        guard kinds.contains(kind) else {
            throw .notFound("iTunes has no kind", kind, among: kinds)
        }
        guard let number = id.itemNumber(atMostDigits: Self.idDigits) else {
            throw .invalid(
                reason: """
                    An iTunes id is a positive number of at most \(Self.idDigits) digits, not \
                    “\(id.shortened)”.
                    """)
        }
        return Item(source: name, kind: kind, id: number)
    }

    package func query(
        list: String, parameters: [String: String]
    ) throws(Failure) -> ListQuery {
        guard list == "albums" else {
            throw .notFound("iTunes has no list", list, among: ["albums"])
        }
        let given = try Parameters(
            parameters, known: ["term"], owner: "iTunes's list “albums”")
        return ListQuery(source: name, list: list, parameters: ["term": try given.term("term")])
    }

    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        let item = try self.item(kind: item.kind, id: item.id)
        let results = try await results(
            "/lookup?id=\(item.id)&entity=song&limit=\(Self.limit)", api)
        let told = results.lazy.compactMap(\.album).first { $0.entry.item == item }
        guard let album = told ?? ITunesResult.album(item, bySongs: results) else {
            throw .notFound(reason: "iTunes has no album \(item.id).")
        }
        var details = album
        let tracks = ITunesResult.inOrder(results.compactMap(\.song))
        details.entry.tracks = tracks
        details.entry.trackCount = tracks.isEmpty ? nil : tracks.count
        let times = tracks.compactMap(\.milliseconds)
        // The sum of some songs would be wrong.
        if !tracks.isEmpty, times.count == tracks.count {
            details.entry.milliseconds = times.reduce(0, +)
        }
        details.isComplete = true
        return details
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        let query = try self.query(list: query.list, parameters: query.parameters)
        let term = Self.encoded(term: query.parameters["term"] ?? "")
        let results = try await results(
            """
            /search?term=\(term)&entity=album&media=music&limit=\(Self.limit)\
            &country=\(Self.country)
            """, api)
        let albums = results.compactMap(\.album).withoutRepeats
        return CatalogPage(
            items: albums, next: nil, total: results.count < Self.limit ? albums.count : nil,
            firstIndex: 0)
    }

    /// More digits than the API uses today. The number still fits into 64 bits.
    private static let idDigits = 15

    /// Returns the results of a call. The API sends JSON as `text/javascript`.
    ///
    /// The status is checked first: after too many calls the API answers 403 with an empty list of
    /// results, which doesn't mean that nothing was found.
    private func results(
        _ path: String, _ api: any APIReading
    ) async throws(Failure) -> [ITunesResult] {
        let answer = try await api.read(
            APICall(url: "https://\(ITunesHosts.api)\(path)", allowedHosts: [ITunesHosts.api]))
        guard answer.isSuccess else {
            guard answer.status == 403 else { throw answer.refusal(by: ITunesHosts.api) }
            throw .unavailable(
                reason: "iTunes is rate-limiting us (403). It usually recovers within minutes.",
                timedOut: false, retryAfter: nil)
        }
        let page = try answer.decoded(ITunesPage.self, from: title)
        guard !page.results.isEmpty || page.resultCount ?? 0 == 0 else {
            throw .unavailable(
                reason: "iTunes announced results and sent none.", timedOut: false, retryAfter: nil)
        }
        return page.results.compactMap(\.value)
    }

    /// Returns the term as the API's documentation encodes it: letters, digits and `. - _ *` stay,
    /// spaces become `+`.
    static func encoded(term: String) -> String {
        term.split(whereSeparator: \.isWhitespace)
            .map {
                PercentCoding.encoded(String($0), keeping: "*").replacing("~", with: "%7E")
            }
            .joined(separator: "+")
    }
}
