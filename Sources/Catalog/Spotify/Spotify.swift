package import Fetch
package import FoundationEssentials
import JSON

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
    package func title(ofKind kind: String) -> String { kind == "album" ? "Albums" : "Artists" }
    package var lists: [ListDescription] { Self.lists }
    private static let lists = [
        ListDescription("artists", title: "Artists", [ListParameter("q", .term), offset]),
        ListDescription(
            "artists/{id}/albums", title: "Albums of an artist", [offset],
            shortName: "artist-albums"),
    ]
    private static let offset = ListParameter("offset", .number(SpotifyPaging.offsets))
    package var tab: SourceTab? {
        SourceTab(
            subject: .artists, shape: SourceTab.squares,
            suggestions: ["the", "night", "blue", "club", "river"],
            credit: [
                .text("Pictures and data by "), .link(title, to: "https://open.spotify.com"),
                .text("."),
            ])
    }
    package var isFollowed: Bool { true }
    package var imageHosts: [HostPattern] { [Self.pictureHost] }
    /// Spotify's design guidelines ask for whole covers.
    package var mayCrop: Bool { false }

    /// Items per page. Since 2026 the API rejects larger pages for applications in development
    /// mode.
    private static let limit = 10

    package func item(kind: String, id: String) throws(Failure) -> Item {
        try check(kind: kind)
        guard Self.isID(id) else {
            throw .invalid(
                reason: """
                    A Spotify id consists of letters and digits, such as \(Self.example), not \
                    “\(id.shortened)”.
                    """)
        }
        return Item(source: name, kind: kind, id: id)
    }

    package func idPattern(ofKind kind: String) -> String { "^[0-9A-Za-z]{1,64}$" }

    /// `artist-albums` and an artist's id mean the list `artists/{id}/albums`.
    package func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        guard name == "artist-albums" else { return searching(name, words) }
        guard words.count == 1 else {
            throw .invalid(
                reason: "Name one artist by its id, such as: spotify artist-albums \(Self.example)."
            )
        }
        return ("artists/\(try item(kind: "artist", id: words[0]).id)/albums", [:])
    }

    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        let item = try self.item(kind: item.kind, id: item.id)
        let answer = try await read("/\(item.kind)s/\(item.id)", api)
        if Self.isAbsent(answer) {
            throw .notFound(reason: "Spotify has no \(item.kind) \(item.id).")
        }
        var details = try await answer.decoded(title, by: Self.apiHost) {
            Self.details(kind: item.kind, $0)
        }
        details.entry.item = item
        return details
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        let query = try self.query(list: query.list, parameters: query.parameters)
        let offset = query.number("offset") ?? 0
        let paging: SpotifyPaging
        let kind: String
        if let artist = Self.lists[1].id(in: query.list) {
            kind = "album"
            let answer = try await read(
                """
                /artists/\(artist)/albums?include_groups=album,single&limit=\(Self.limit)\
                &offset=\(offset)
                """, api)
            if Self.isAbsent(answer) {
                throw .notFound(reason: "Spotify has no artist \(artist).")
            }
            paging = try await answer.decoded(title, by: Self.apiHost, SpotifyPaging.init)
        } else {
            kind = "artist"
            let term = query.parameters["q"]?.percentEncoded ?? ""
            paging = try await read(
                "/search?q=\(term)&type=artist&limit=\(Self.limit)&offset=\(offset)", api
            ).decoded(title, by: Self.apiHost) { SpotifyPaging($0["artists"]) }
        }
        if offset > 0, paging.items.isEmpty { return nil }
        let next = paging.nextOffset(after: offset).flatMap { $0 < cap ? $0 : nil }
        return CatalogPage(
            items: paging.items.compactMap { Self.details(kind: kind, $0) }
                .withoutRepeats,
            next: next.map { query.with("offset", $0) },
            total: paging.total.map { min($0, cap) },
            firstIndex: offset)
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
            url: "https://\(Self.apiHost)/v1\(path)", allowedHosts: [Self.apiHost])
        let token = try await tokens.token(api)
        call.headers = [("Authorization", token.bearer)]
        let answer = try await api.read(call)
        guard answer.status == 401 else { return answer }
        call.headers = [("Authorization", try await tokens.token(replacing: token, api).bearer)]
        return try await api.read(call)
    }

    private static let example = "7Ln80lUS6He07XvHI8qqHH"
}

// MARK: - Answers

extension Spotify {
    /// Returns an artist or an album, in full or as part of a list; nil without an id. Any other field may be
    /// missing, null or of an odd type.
    private static func details(kind: String, _ json: JSON) -> ItemDetails? {
        guard let id = json["id"].string, isID(id) else { return nil }
        var entry = CatalogEntry(
            item: Item(source: "spotify", kind: kind, id: id),
            title: json["name"].words ?? "\(kind == "artist" ? "Artist" : "Album") \(id)")
        entry.subtitle =
            (json["artists"].elements ?? []).compactMap(\.["name"].words)
            .joined(separator: ", ").nonEmpty
        // The API writes an unknown date with zeros.
        entry.date = json["release_date"].string?.partialDate
            .flatMap { $0.hasPrefix("0000") ? nil : $0 }
        entry.genres = (json["genres"].elements ?? []).compactMap(\.words)
        entry.link = json["external_urls"]["spotify"].url(on: Self.site)
        entry.followers = json["followers"]["total"].count
        entry.trackCount = json["total_tracks"].integer(in: Bounds.place)
        return ItemDetails(
            entry: entry, chain: (json["images"].elements ?? []).compactMap(step))
    }

    /// Returns a picture in one size; `nil` if the URL is not on Spotify's image host. The API lists the widest
    /// first, often three, sometimes none.
    private static func step(_ image: JSON) -> ChainStep? {
        let (width, height) = (image["width"].pixels, image["height"].pixels)
        let size = width.flatMap { width in height.map { " \(width)×\($0)" } }
        return image["url"].candidate(
            on: Self.pictureHost, "image\(size ?? "")", width: width, height: height)
    }

    /// Returns whether the text may be an id: base 62, today 22 letters and digits.
    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
            }
    }

    /// Returns whether the API says that the item doesn't exist. A 400 says so only if it is about
    /// the id. A wrong limit or market also causes a 400.
    private static func isAbsent(_ answer: APIAnswer) -> Bool {
        switch answer.status {
        case 404, 410: true
        case 400: answer.shortDocument["error"]["message"].string.map(isAboutID) ?? false
        default: false
        }
    }

    /// Returns whether a message is like `invalid id` or `Invalid base62 id`.
    private static func isAboutID(_ message: String) -> Bool {
        let words = message.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.contains("invalid") && words.last == "id"
    }
}

/// A page of a list.
struct SpotifyPaging {
    /// The API rejects searches past the first thousand items.
    static let offsets = 0...990

    let items: [JSON]
    let total: Int?
    private let next: String?

    /// Returns nil without items.
    init?(_ json: JSON) {
        guard let items = json["items"].elements else { return nil }
        self.items = items
        total = json["total"].count
        next = json["next"].url(on: Spotify.apiHost)
    }

    /// Returns the offset of the next page; `nil` at the end, or if the link to the next page has
    /// another host or doesn't lead forward.
    ///
    /// Only the offset is taken from the link, because it writes the other parameters differently.
    func nextOffset(after offset: Int) -> Int? {
        guard let query = next?.split(separator: "?", maxSplits: 1).dropFirst().first,
            let field = query.split(separator: "&").first(where: { $0.hasPrefix("offset=") }),
            let number = Int(field.dropFirst("offset=".count)), number > offset,
            Self.offsets.contains(number)
        else { return nil }
        return number
    }
}

// MARK: - Hosts

extension Spotify {
    static let apiHost = HostPattern("api.spotify.com")
    private static let pictureHost = HostPattern("i.scdn.co")
    private static let site = HostPattern("open.spotify.com")

    /// The limit of calls in a rolling window of 30 s is not published. Two calls per second are
    /// far below the rates that were reported as rejected.
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] {
        [
            (Self.apiHost, HostPolicy(maxConcurrent: 4, rate: .init(count: 60, per: .seconds(30)))),
            (SpotifyTokens.host, HostPolicy(maxConcurrent: 1)),
            (Self.pictureHost, HostPolicy(maxConcurrent: 16)),
        ]
    }
}
