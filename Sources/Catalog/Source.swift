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
    /// Parameter of its lists that takes the words people search for, `q`.
    var termParameter: String { get }
    /// Hosts its pictures may come from.
    var imageHosts: [HostPattern] { get }
    /// How hard its hosts may be asked.
    var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { get }

    /// Checks kind and id; the returned item is in canonical form (`007` becomes `7`).
    func item(kind: String, id: String) throws(CatalogError) -> Item
    /// Checks list and parameters, fills in defaults; unknown parameters are an error.
    func query(list: String, parameters: [String: String]) throws(CatalogError) -> ListQuery

    /// One item's details and chain: one API call where the source allows it.
    func details(
        of item: Item, api: any APIReading
    ) async throws(CatalogError) -> ItemDetails
    /// One page of a list; `nil` past its end.
    func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(CatalogError) -> CatalogPage?
}

/// Reads API documents for sources: over the network, or through a cache of answers.
package protocol APIReading: Sendable {
    /// The answer with its status, 2xx and 4xx alike; 429, 5xx and transport failures throw
    /// ``CatalogError/unavailable(reason:timedOut:retryAfter:)``.
    func read(_ call: APICall) async throws(CatalogError) -> APIAnswer
}

/// One call of a source's API.
package struct APICall: Sendable {
    package var url: String
    /// May hold secrets: never logged, never part of a key.
    package var headers: [(name: String, value: String)] = []
    /// Sent as a POST where it is set.
    package var body: [UInt8]?
    package var allowedHosts: [HostPattern]
    /// Set where the answer itself is worth keeping: a hop of a chain, a configuration.
    package var keeping: Keeping?

    /// How long an answer is kept, under which name. Only 2xx answers are.
    package struct Keeping: Sendable {
        /// Without secrets, unique over all sources: usually the URL.
        package var key: String
        /// Seconds.
        package var timeToLive: Double

        package init(key: String, timeToLive: Double) {
            self.key = key
            self.timeToLive = timeToLive
        }
    }

    package init(url: String, allowedHosts: [HostPattern]) {
        self.url = url
        self.allowedHosts = allowedHosts
    }
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
