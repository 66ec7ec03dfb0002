package import Fetch
package import FoundationEssentials

/// Spotify's Web API: artists and their albums.
///
/// Source: <https://developer.spotify.com/documentation/web-api>. Pictures must be shown whole, and
/// link back.
package struct Spotify: Source {
    private let tokens: SpotifyTokens?
    private let cap: Int

    /// Without `credentials` every call throws ``Failure/unconfigured(reason:)``.
    ///
    /// - Parameter cap: Limit of items in a list. Some artists have thousands of albums.
    package init(
        credentials: SpotifyCredentials?, cap: Int = 100,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        tokens = credentials.map { SpotifyTokens($0, now: now) }
        self.cap = cap
    }

    package var name: String { "spotify" }
    package var title: String { "Spotify" }
    package var kinds: [String] { ["artist", "album"] }
    package var lists: [String] { ["artists?q=&offset=", "artists/{id}/albums?offset="] }
    package var shortLists: [String] { ["artist-albums"] }
    package var termParameter: String { "q" }
    package func title(of list: String) -> String {
        if Self.artist(ofList: list) != nil { return "Albums of an artist" }
        return list == "album" ? "Albums" : "Artists"
    }
    package var pageParameter: String? { nil }
    package var isFollowed: Bool { true }
    package var imageHosts: [HostPattern] { [SpotifyHosts.images] }
    /// Spotify's design guidelines ask for whole covers.
    package var mayCrop: Bool { false }

    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { SpotifyHosts.policies }

    /// Items per page. Since 2026 the API rejects larger pages for applications in development
    /// mode.
    static let limit = 10

    package func item(kind: String, id: String) throws(Failure) -> Item {
        guard kinds.contains(kind) else {
            throw .notFound("Spotify has no kind", kind, among: kinds)
        }
        return Item(source: name, kind: kind, id: try Self.checked(id))
    }

    package func idPattern(ofKind kind: String) -> String { "^[0-9A-Za-z]{1,64}$" }

    package func query(
        list: String, parameters: [String: String]
    ) throws(Failure) -> ListQuery {
        let owner = "Spotify's list “\(list.shortened)”"
        if list == "artists" {
            let given = try Parameters(parameters, known: ["q", "offset"], owner: owner)
            return self.list(
                list, ["q": try given.term("q")],
                from: try given.integer("offset", in: SpotifyPaging.offsets, default: 0))
        }
        guard let artist = Self.artist(ofList: list) else {
            throw .notFound(
                "Spotify has no list", list, among: ["artists", "artists/{id}/albums"])
        }
        _ = try Self.checked(artist)
        let given = try Parameters(parameters, known: ["offset"], owner: owner)
        return self.list(
            list, [:], from: try given.integer("offset", in: SpotifyPaging.offsets, default: 0))
    }

    /// `artist-albums` and an artist's id mean the list `artists/{id}/albums`.
    package func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        guard name == "artist-albums" else {
            return (name, words.isEmpty ? [:] : [termParameter: words.joined(separator: " ")])
        }
        guard words.count == 1 else {
            throw .invalid(
                reason: "Name one artist by its id, such as: spotify artist-albums \(Self.example)."
            )
        }
        return ("artists/\(try Self.checked(words[0]))/albums", [:])
    }

    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        let item = try self.item(kind: item.kind, id: item.id)
        let answer = try await read("/\(item.kind)s/\(item.id)", api)
        if SpotifyRefusal.isAbsent(answer) {
            throw .notFound(reason: "Spotify has no \(item.kind) \(item.id).")
        }
        guard answer.isSuccess else { throw answer.refusal(by: SpotifyHosts.api) }
        var details = try answer.decoded(SpotifyEntity.self, from: title).details(kind: item.kind)
        details.entry.item = item
        return details
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        let query = try self.query(list: query.list, parameters: query.parameters)
        let offset = query.parameters["offset"].flatMap { Int($0) } ?? 0
        let paging: SpotifyPaging
        let kind: String
        if let artist = Self.artist(ofList: query.list) {
            kind = "album"
            let answer = try await read(
                """
                /artists/\(artist)/albums?include_groups=album,single&limit=\(Self.limit)\
                &offset=\(offset)
                """, api)
            if SpotifyRefusal.isAbsent(answer) {
                throw .notFound(reason: "Spotify has no artist \(artist).")
            }
            guard answer.isSuccess else { throw answer.refusal(by: SpotifyHosts.api) }
            paging = try answer.decoded(SpotifyPaging.self, from: title)
        } else {
            kind = "artist"
            let term = query.parameters["q"]?.percentEncoded ?? ""
            let answer = try await read(
                "/search?q=\(term)&type=artist&limit=\(Self.limit)&offset=\(offset)", api)
            guard answer.isSuccess else { throw answer.refusal(by: SpotifyHosts.api) }
            paging = try answer.decoded(SpotifySearch.self, from: title).artists
        }
        if offset > 0, paging.items.isEmpty { return nil }
        let next = paging.nextOffset(after: offset).flatMap { $0 < cap ? $0 : nil }
        return CatalogPage(
            items: paging.items.compactMap { $0.value?.details(kind: kind) }.withoutRepeats,
            next: next.map { list(query.list, query.parameters, from: $0) },
            total: paging.total.map { min($0, cap) },
            firstIndex: offset)
    }

    private func list(
        _ list: String, _ parameters: [String: String], from offset: Int
    ) -> ListQuery {
        ListQuery(
            source: name, list: list,
            parameters: parameters.merging(["offset": "\(offset)"]) { $1 })
    }

    private static let needs = """
        Spotify needs the credentials of an application; set VITRINE_SPOTIFY_CLIENT_ID and \
        VITRINE_SPOTIFY_CLIENT_SECRET.
        """

    package var missing: String? { tokens == nil ? Self.needs : nil }

    /// Calls the API with a token, and once more with a new token if the API rejects the first.
    private func read(
        _ path: String, _ api: any APIReading
    ) async throws(Failure) -> APIAnswer {
        guard let tokens else {
            throw .unconfigured(reason: Self.needs)
        }
        var call = APICall(
            url: "https://\(SpotifyHosts.api)/v1\(path)", allowedHosts: [SpotifyHosts.api])
        let token = try await tokens.token(api)
        call.headers = [("Authorization", token.bearer)]
        let answer = try await api.read(call)
        guard answer.status == 401 else { return answer }
        call.headers = [("Authorization", try await tokens.token(replacing: token, api).bearer)]
        return try await api.read(call)
    }

    private static let example = "7Ln80lUS6He07XvHI8qqHH"

    /// The artist in `artists/{id}/albums`.
    private static func artist(ofList list: String) -> String? {
        let parts = list.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "artists", parts[2] == "albums" else { return nil }
        return String(parts[1])
    }

    private static func checked(_ id: String) throws(Failure) -> String {
        guard SpotifyEntity.isID(id) else {
            throw .invalid(
                reason: """
                    A Spotify id consists of letters and digits, such as \(example), not \
                    “\(id.shortened)”.
                    """)
        }
        return id
    }
}
