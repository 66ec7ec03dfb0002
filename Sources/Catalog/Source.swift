package import Fetch

/// A catalog: defines its items, lists and hosts, and calls its API. Pure except for `api`.
package protocol Source: Sendable {
    /// First part of its items' names, such as `tvmaze`.
    var name: String { get }
    /// Name for people, such as `TVmaze`.
    var title: String { get }
    /// Kinds of items, such as `show` and `poster`.
    var kinds: [String] { get }
    /// What may be asked besides single items.
    var lists: [ListDescription] { get }
    /// Returns the name for people of the items of a kind, such as `TV posters`.
    func title(ofKind kind: String) -> String
    /// Returns the item whose picture is better for a view of this one alone; nil if its own is the best.
    func detail(of item: Item) -> Item?
    /// Whether warm runs follow its lists to their end by default: those of a few hundred items at most, and the
    /// operator's own.
    var isFollowed: Bool { get }
    /// The filters of every list that its entries have something for: `title`, `from`, `to`, `genre`.
    var filters: Set<String> { get }
    /// Whether what it says is read on this machine whenever it is needed, so that nothing of it is kept.
    var isLocal: Bool { get }
    /// Hosts that its pictures may come from.
    var imageHosts: [HostPattern] { get }
    /// Load limits of its hosts.
    var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { get }

    /// Whether its terms allow pictures to be cropped.
    var mayCrop: Bool { get }
    /// Whether requests for its pictures without TLS may reach only the networks that the operator allowed.
    var plainIsInside: Bool { get }
    /// Header fields for requests to a host of its pictures.
    func fields(forHost host: String) -> [RequestField]
    /// The regular expression of a kind's ids, for the API's description.
    func idPattern(ofKind kind: String) -> String
    /// What its operator has to set before it works, in a sentence; nil if it is complete.
    var missing: String? { get }
    /// Its tab in the gallery; nil if it has none.
    var tab: SourceTab? { get }

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
    /// Returns one item's details with everything that its source tells, with a further call if
    /// ``details(of:api:)`` leaves something out that the picture doesn't need.
    func completeDetails(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails
    /// Returns what an item's picture needs, if that is known without a call. Titles and other
    /// details may be missing.
    func freeDetails(of item: Item) -> ItemDetails?
    /// Returns the chain that is used if this item's details are unavailable.
    func remainder(of item: Item) -> [ChainStep]
    /// Returns one page of a list; `nil` past its end.
    ///
    /// - Throws: ``Failure`` of kind `invalid` for malformed parameters, and as
    ///   ``details(of:api:)``.
    func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage?
}

extension Source {
    package func title(ofKind kind: String) -> String { title }
    package func detail(of item: Item) -> Item? { nil }
    package var isFollowed: Bool { false }
    package var filters: Set<String> { Set(CatalogFilter.parameterNames) }
    package var isLocal: Bool { false }
    package var mayCrop: Bool { true }
    package var plainIsInside: Bool { false }
    package func fields(forHost host: String) -> [RequestField] { [] }
    package func idPattern(ofKind kind: String) -> String { "^[0-9]{1,20}$" }
    package var missing: String? { nil }
    package var tab: SourceTab? { nil }
    package func completeDetails(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        try await details(of: item, api: api)
    }
    package func freeDetails(of item: Item) -> ItemDetails? { nil }
    package func remainder(of item: Item) -> [ChainStep] { [] }
}

// MARK: - Lists and items

extension Source {
    /// Returns the description of the list with that path.
    package func list(_ path: String) -> ListDescription? {
        lists.first { $0.id(in: path) != nil }
    }

    /// The list parameter that takes search words; nil if none does.
    package var termParameter: String? { lists.lazy.compactMap(\.term).first }

    /// The lists in the source's tab.
    package var browsedLists: [ListDescription] {
        lists.filter { $0.tabTitle != nil && $0.required.isEmpty }
    }

    /// The first list that takes search words and needs nothing else.
    package var searchList: ListDescription? {
        lists.first { list in list.term.map { list.required.isSubset(of: [$0]) } ?? false }
    }

    /// Returns the name for people of the items of a list or of a kind.
    package func title(of name: String) -> String { list(name)?.title ?? title(ofKind: name) }

    package func query(
        list: String, parameters: [String: String]
    ) throws(Failure) -> ListQuery {
        guard let known = self.list(list), let id = known.id(in: list) else {
            if lists.isEmpty { throw .notFound(reason: "\(title) has no lists.") }
            throw .notFound("\(title) has no list", list, among: lists.map(\.name))
        }
        if known.name != list { _ = try item(kind: kinds[0], id: id) }
        let owner = "\(title)'s list “\(list.shortened)”"
        return ListQuery(
            source: name, list: list, parameters: try known.values(parameters, owner: owner))
    }

    package func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        searching(name, words)
    }

    /// Returns the list of that name or short name, with the words as its search term.
    func searching(
        _ name: String, _ words: [String]
    ) -> (list: String, parameters: [String: String]) {
        let list = lists.first { $0.shortName == name }?.name ?? name
        guard !words.isEmpty, let termParameter else { return (list, [:]) }
        return (list, [termParameter: words.joined(separator: " ")])
    }

    /// - Throws: ``Failure`` of kind `notFound` for an unknown kind.
    func check(kind: String) throws(Failure) {
        guard kinds.contains(kind) else {
            throw .notFound("\(title) has no kind", kind, among: kinds)
        }
    }

    /// Returns the item of a kind whose ids are positive numbers.
    func numbered(
        kind: String, id: String, atMostDigits limit: Int
    ) throws(Failure) -> Item {
        try check(kind: kind)
        guard let number = id.itemNumber(atMostDigits: limit) else {
            let article = title.first.map("AEIOUaeiou".contains) == true ? "An" : "A"
            throw .invalid(
                reason: """
                    \(article) \(title) id is a positive number of at most \(limit) digits, not \
                    “\(id.shortened)”.
                    """)
        }
        return Item(source: name, kind: kind, id: number)
    }
}

/// A header field of requests to one host. It may hold a secret, so it is never logged.
package struct RequestField: Sendable, Hashable {
    package var name: String
    package var value: Secret
}
