package import Fetch
import Hashing
import JSON

/// Apple's iTunes Search API: albums and their songs, without credentials.
///
/// Source: <https://performance-partners.apple.com/search-api>. Artwork may be used only to promote
/// the item in the store, beside a store badge.
package struct ITunes: Source {
    package init() {}

    package var name: String { "itunes" }
    package var title: String { "iTunes" }
    package var kinds: [String] { ["album"] }
    package func title(ofKind kind: String) -> String { "Albums" }
    package var lists: [ListDescription] {
        [ListDescription("albums", title: "Albums", [ListParameter("term", .term)])]
    }
    package var tab: SourceTab? {
        SourceTab(
            subject: .albums, shape: SourceTab.squares,
            suggestions: ["night", "light", "blue", "gold", "river"],
            credit: [
                .text("Covers courtesy of "), .link(title, to: "https://music.apple.com"),
                .text("."),
            ])
    }
    package var isFollowed: Bool { true }
    package var imageHosts: [HostPattern] { [ITunesResult.pictureHost] }

    /// Limit of results per call. The API has no pages, so this bounds the whole list.
    private static let limit = 200
    /// The store that is searched. The API requires one and can't search all stores.
    private static let country = "US"

    package func item(kind: String, id: String) throws(Failure) -> Item {
        // More digits than the API uses today. The number still fits into 64 bits.
        try numbered(kind: kind, id: id, atMostDigits: 15)
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
        let tracks = results.compactMap(\.song).ordered(by: \.number).ordered(by: \.disc)
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

    /// Returns the results of a call. The API sends JSON as `text/javascript`.
    ///
    /// The status is checked first: after too many calls the API answers 403 with an empty list of
    /// results, which doesn't mean that nothing was found.
    private func results(
        _ path: String, _ api: any APIReading
    ) async throws(Failure) -> [ITunesResult] {
        let answer = try await api.read(
            APICall(url: "https://\(Self.apiHost)\(path)", allowedHosts: [Self.apiHost]))
        if answer.status == 403 {
            throw .unavailable(
                reason: "iTunes is rate-limiting us (403). It usually recovers within minutes.")
        }
        let (results, count) = try await answer.decoded(title, by: Self.apiHost) { json in
            json["results"].elements.map { ($0, json["resultCount"].integer(in: Bounds.count)) }
        }
        guard !results.isEmpty || count ?? 0 == 0 else {
            throw .unavailable(reason: "iTunes announced results and sent none.")
        }
        return results.compactMap(\.object).map(ITunesResult.init)
    }

    /// Returns the term as the API's documentation encodes it: letters, digits and `. - _ *` stay,
    /// spaces become `+`.
    private static func encoded(term: String) -> String {
        term.split(whereSeparator: \.isWhitespace)
            .map {
                PercentCoding.encoded(String($0), keeping: "*").replacing("~", with: "%7E")
            }
            .joined(separator: "+")
    }
}

// MARK: - Hosts

extension ITunes {
    static let apiHost = HostPattern("itunes.apple.com")

    /// The API allows about 20 calls per minute, and a block may last an hour. The image hosts
    /// publish no limit.
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] {
        [
            (Self.apiHost, HostPolicy(maxConcurrent: 1, rate: .init(count: 1, per: .seconds(3)))),
            (ITunesResult.pictureHost, HostPolicy(maxConcurrent: 16)),
        ]
    }
}
