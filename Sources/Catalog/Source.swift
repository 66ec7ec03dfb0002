package import Fetch

/// A catalog: defines its items, lists and hosts, and calls its API. Pure except for `api`.
package protocol Source: Sendable {
    /// First part of its items' names, such as `tvmaze`.
    var name: String { get }
    /// Name for people, such as `TVMaze`.
    var title: String { get }
    /// Kinds of items, such as `show` and `poster`.
    var kinds: [String] { get }
    /// Lists for people, as in the README: `shows?page=`, `search?q=`.
    var lists: [String] { get }
    /// Returns the common filters that this list takes as parameters of its own, such as the
    /// museum's `title=` search. Empty by default.
    func ownFilters(ofList list: String) -> Set<String>
    /// The list parameter that takes search words, such as `q`.
    var termParameter: String { get }
    /// The list parameter that takes a page number; `nil` if pages have none.
    var pageParameter: String? { get }
    /// Whether its lists end after a few hundred items at most, so that clients follow them to the
    /// end by default.
    var endsSoon: Bool { get }
    /// Hosts that its pictures may come from.
    var imageHosts: [HostPattern] { get }
    /// Load limits of its hosts.
    var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { get }

    /// Validates kind and id. The returned item is in canonical form (`007` becomes `7`).
    func item(kind: String, id: String) throws(Failure) -> Item
    /// Validates list and parameters and fills in defaults. Unknown parameters are an error.
    func query(list: String, parameters: [String: String]) throws(Failure) -> ListQuery
    /// Returns the list and parameters for a short name and words from the command line: `popular`,
    /// or `artist-albums` and an artist's id. They are not validated yet.
    func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String])

    /// Returns one item's details and chain, with one API call where the source allows it.
    func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails
    /// Returns the item whose chain is used if this item's details are unavailable.
    func standIn(for item: Item) -> Item?
    /// Returns one page of a list; `nil` past its end.
    func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage?
}

extension Source {
    package func ownFilters(ofList list: String) -> Set<String> { [] }
    package var pageParameter: String? { "page" }
    package var endsSoon: Bool { false }
    package func standIn(for item: Item) -> Item? { nil }

    /// Returns the list of that name, with the words as its search term.
    package func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        (name, words.isEmpty ? [:] : [termParameter: words.joined(separator: " ")])
    }
}

/// Reads API documents for sources, over the network or through a cache.
package protocol APIReading: Sendable {
    /// Returns the response of a call, with any status not listed below.
    ///
    /// - Throws: ``Failure/unavailable(reason:timedOut:retryAfter:)`` for 408, 425, 429, 5xx
    ///   and transport failures.
    func read(_ call: APICall) async throws(Failure) -> APIAnswer
}

/// One call of a source's API.
package struct APICall: Sendable {
    /// The URL without secrets.
    package var url: String
    /// An encoded `name=value` that joins the URL's query only when the call is sent.
    ///
    /// It may hold secrets, so it is never logged and never part of a key.
    package var secretQuery: String?
    /// May hold secrets, so they are never logged and never part of a key.
    package var headers: [(name: String, value: String)] = []
    /// If set, the call is a POST with this body.
    package var body: [UInt8]?
    /// Hosts that the call and its redirects may reach.
    package var allowedHosts: [HostPattern]
    /// Limit of redirects, all within `allowedHosts`; `nil` means the fetcher's own limit.
    package var maxRedirects: Int?
    /// Set if the response itself should be cached: a hop of a chain, a configuration.
    package var keeping: Keeping?

    /// How long and under which key a response is cached. Only 2xx responses are.
    package struct Keeping: Sendable {
        /// The cache key, without secrets, unique across all sources. Usually the URL.
        package var key: String
        /// Seconds.
        package var timeToLive: Double
        /// Returns the part of a 2xx body to cache, which decodes like the whole: a record may be
        /// much larger than the fields we read. Returns `nil` for an invalid body, which is then
        /// not cached.
        package var part: @Sendable ([UInt8]) -> [UInt8]?

        package init(
            key: String, timeToLive: Double,
            part: @escaping @Sendable ([UInt8]) -> [UInt8]? = { $0 }
        ) {
            self.key = key
            self.timeToLive = timeToLive
            self.part = part
        }
    }

    package init(url: String, allowedHosts: [HostPattern]) {
        self.url = url
        self.allowedHosts = allowedHosts
    }
}

/// Every text made of a call omits its secrets.
extension APICall: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(body == nil ? "GET" : "POST") \(url)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

/// Status and body of an API response.
package struct APIAnswer: Sendable {
    package var status: Int
    package var body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}
