package import Fetch

/// A catalogue: knows its items, lists and hosts, and speaks its API. Pure but for `api`.
package protocol Source: Sendable {
    /// First part of its items, `tvmaze`.
    var name: String { get }
    /// For people, `TVMaze`.
    var title: String { get }
    /// Kinds of items, `show`, `poster`.
    var kinds: [String] { get }
    /// Lists for people, as in the README: `shows?page=`, `search?q=`.
    var lists: [String] { get }
    /// Those of the filters common to all lists that this list takes as parameters of its own: the
    /// museum's `title=` searches. None, unless a source says otherwise.
    func ownFilters(ofList list: String) -> Set<String>
    /// Parameter of its lists that takes the words people search for, `q`.
    var termParameter: String { get }
    /// Parameter of its lists that takes the number of a page; `nil` where pages have none.
    var pageParameter: String? { get }
    /// Whether its lists end by themselves after some hundred items at most, so that they are
    /// followed to their end unasked.
    var endsSoon: Bool { get }
    /// Hosts its pictures may come from.
    var imageHosts: [HostPattern] { get }
    /// How hard its hosts may be asked.
    var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { get }

    /// Checks kind and id; the returned item is in canonical form (`007` becomes `7`).
    func item(kind: String, id: String) throws(CatalogError) -> Item
    /// Checks list and parameters, fills in defaults; unknown parameters are an error.
    func query(list: String, parameters: [String: String]) throws(CatalogError) -> ListQuery
    /// The list and parameters that people mean by a short name and some words on the command line:
    /// `popular`, or `artist-albums` and an artist's id. Not checked yet.
    func listing(
        named name: String, words: [String]
    ) throws(CatalogError) -> (list: String, parameters: [String: String])

    /// One item's details and chain: one API call where the source allows it.
    func details(
        of item: Item, api: any APIReading
    ) async throws(CatalogError) -> ItemDetails
    /// The item whose chain goes on where the details of this one can't be had.
    func standIn(for item: Item) -> Item?
    /// One page of a list; `nil` past its end.
    func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(CatalogError) -> CatalogPage?
}

extension Source {
    package func ownFilters(ofList list: String) -> Set<String> { [] }
    package var pageParameter: String? { "page" }
    package var endsSoon: Bool { false }
    package func standIn(for item: Item) -> Item? { nil }

    /// The list of that name; words are its search term.
    package func listing(
        named name: String, words: [String]
    ) throws(CatalogError) -> (list: String, parameters: [String: String]) {
        (name, words.isEmpty ? [:] : [termParameter: words.joined(separator: " ")])
    }
}

/// Reads API documents for sources: over the network, or through a cache of answers.
package protocol APIReading: Sendable {
    /// The answer with its status, 2xx and 4xx alike; 429, 5xx and transport failures throw
    /// ``CatalogError/unavailable(reason:timedOut:retryAfter:)``.
    func read(_ call: APICall) async throws(CatalogError) -> APIAnswer
}

/// One call of a source's API.
package struct APICall: Sendable {
    /// Without secrets.
    package var url: String
    /// `name=value`, ready encoded, that joins the URL's query only when it is sent. May hold
    /// secrets: never logged, never part of a key.
    package var secretQuery: String?
    /// May hold secrets: never logged, never part of a key.
    package var headers: [(name: String, value: String)] = []
    /// Sent as a POST where it is set.
    package var body: [UInt8]?
    package var allowedHosts: [HostPattern]
    /// Redirects followed, all within `allowedHosts`; `nil` is as many as the fetcher follows.
    package var maxRedirects: Int?
    /// Set where the answer itself is worth keeping: a hop of a chain, a configuration.
    package var keeping: Keeping?

    /// How long an answer is kept, under which name. Only 2xx answers are.
    package struct Keeping: Sendable {
        /// Without secrets, unique over all sources: usually the URL.
        package var key: String
        /// Seconds.
        package var timeToLive: Double
        /// What of a good answer is kept, to be read like the whole: a record may be many times
        /// larger than what is read of it. `nil` where it makes no sense, and then nothing is kept.
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

/// However a call gets into a text, its secrets stay out.
extension APICall: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(body == nil ? "GET" : "POST") \(url)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

/// Status and body of an API call.
package struct APIAnswer: Sendable {
    package var status: Int
    package var body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}
