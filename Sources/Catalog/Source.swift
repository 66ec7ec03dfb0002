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
    /// Whether an item's chain follows from its name, so that nothing is asked for it and keeping the
    /// answer gains nothing.
    var knowsItemsByName: Bool { get }
    /// Hosts that its pictures may come from.
    var imageHosts: [HostPattern] { get }
    /// Load limits of its hosts.
    var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { get }

    /// Validates kind and id. The returned item is in canonical form (`007` becomes `7`).
    ///
    /// - Throws: ``Failure`` of kind `notFound` for an unknown kind, `invalid` for a malformed id.
    func item(kind: String, id: String) throws(Failure) -> Item
    /// Validates list and parameters and fills in defaults.
    ///
    /// - Throws: ``Failure`` of kind `notFound` for an unknown list, `invalid` for an unknown or
    ///   malformed parameter.
    func query(list: String, parameters: [String: String]) throws(Failure) -> ListQuery
    /// Returns the list and parameters for a short name and words from the command line: `popular`,
    /// or `artist-albums` and an artist's id. They are not validated yet.
    ///
    /// - Throws: ``Failure`` of kind `invalid` if the words don't fit the name.
    func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String])

    /// Returns one item's details and chain, with one API call if the source allows it.
    ///
    /// - Throws: ``Failure`` of kind `notFound` if the source has no such item, `unconfigured` if
    ///   it needs other credentials, and whatever ``APIReading/read(_:)`` throws.
    func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails
    /// Returns the item whose chain is used if this item's details are unavailable.
    func standIn(for item: Item) -> Item?
    /// Returns one page of a list; `nil` past its end.
    ///
    /// - Throws: ``Failure`` of kind `invalid` for malformed parameters, and as
    ///   ``details(of:api:)``.
    func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage?
}

extension Source {
    package func ownFilters(ofList list: String) -> Set<String> { [] }
    package var pageParameter: String? { "page" }
    package var endsSoon: Bool { false }
    package var knowsItemsByName: Bool { false }
    package func standIn(for item: Item) -> Item? { nil }

    /// Returns the list of that name, with the words as its search term.
    package func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        (name, words.isEmpty ? [:] : [termParameter: words.joined(separator: " ")])
    }
}
