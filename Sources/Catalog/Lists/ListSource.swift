package import Fetch

/// The pictures of a list: `{name}/picture/{id}`.
///
/// Pictures are kept under a second name that has the row's URL, `{name}/listed-url/{base64url}`. A row that names
/// another URL shows that one's picture at once, and rows of one URL share a picture.
package struct ListSource: Source {
    package static let kind = "picture"
    /// Of the names under which pictures are kept. Clients can't ask for them.
    package static let urlKind = "listed-url"
    package static let list = "pictures"
    /// Rows of a page, unless a request names another number.
    static let pageRows = 100
    private static let mostRows = 500
    private static let pages = 0...10_000_000
    /// Rows that a search may begin with.
    private static let starts = 0...1_000_000_000
    /// The orders of a list: as its rows are, and from its end.
    private static let orders = ["list", "last"]

    package let file: ListFile

    package init(_ file: ListFile) { self.file = file }

    private var definition: ListDefinition { file.definition }
    package var name: String { definition.name }
    package var title: String { definition.title }
    package var kinds: [String] { [Self.kind] }
    package var lists: [ListDescription] {
        [
            ListDescription(
                Self.list, title: title,
                [
                    ListParameter("q", .words(atLeast: 3)),
                    ListParameter("title", .words(atLeast: 1)),
                    ListParameter("sort", .choice(Self.orders)),
                    ListParameter("limit", .count(1...Self.mostRows, usual: Self.pageRows)),
                    ListParameter("page", .page(Self.pages)),
                    ListParameter("after", .part(Self.starts)),
                ], tabTitle: "All")
        ]
    }
    /// Rows have neither dates nor genres.
    package var filters: Set<String> { ["title"] }
    package var isFollowed: Bool { true }
    package var isLocal: Bool { true }
    /// The list is the operator's, so its rows may name any host.
    package var imageHosts: [HostPattern] { [HostPattern("*")] }
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { [] }
    package func idPattern(ofKind kind: String) -> String {
        "^[-A-Za-z0-9_~:,;=+@!$'()*]{1,\(ListedID.longest)}$"
    }
    package var tab: SourceTab? {
        SourceTab(shape: definition.shape, credit: definition.rights.map { [.text($0)] } ?? [])
    }

    // MARK: - Checking

    package func item(kind: String, id: String) throws(Failure) -> Item {
        try check(kind: kind)
        guard let canonical = ListedID.canonical(id) else {
            throw .invalid(reason: "An id of \(name)/\(kind) must not be empty.")
        }
        return Item(source: name, kind: kind, id: canonical)
    }

    package func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        if let word = words.first {
            throw .invalid(
                reason: "\(title)'s list “\(name)” is not a search; leave “\(word.shortened)” out.")
        }
        return (name, [:])
    }

    // MARK: - Reading

    package func freeDetails(of item: Item) -> ItemDetails? {
        guard item.kind == Self.urlKind, let url = SignedURL.url(ofID: item.id) else { return nil }
        return details(item, title: SignedURL.place(of: url), url)
    }

    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        if let free = freeDetails(of: item) { return free }
        guard let picture = try await picture(of: item, api) else {
            throw .notFound(reason: "\(title) has no picture “\(item.id.shortened)”.")
        }
        return details(picture)
    }

    /// Returns the name under which an item's picture is kept; nil if the list has no such row.
    ///
    /// - Parameter api: fetches a list on a server; nil reads the copy on this machine.
    /// - Throws: ``Failure`` of kind `sourceUnavailable` if the list can't be read.
    package func pictured(
        _ item: Item, api: (any APIReading)?
    ) async throws(Failure) -> Item? {
        if item.kind == Self.urlKind { return item }
        return try await picture(of: item, api).map { named($0.place) }
    }

    /// Returns the item of a row.
    package func item(of picture: ListedPicture) -> Item {
        Item(source: name, kind: Self.kind, id: picture.canonicalID)
    }

    /// Returns the name under which the picture at a URL is kept.
    package func named(_ url: String) -> Item {
        Item(source: name, kind: Self.urlKind, id: Base64URL.encode(Array(url.utf8)))
    }

    private func picture(
        of item: Item, _ api: (any APIReading)?
    ) async throws(Failure) -> ListedPicture? {
        try await file.picture(item.id, api)
    }

    /// Returns the name under which an item's picture is kept, if its row was asked for before and the list
    /// is as it was then. Never waits.
    package func known(_ item: Item) -> Item? {
        item.kind == Self.urlKind ? item : file.knownURL(item.id).map(named)
    }

    /// Rows among which ``entries(showing:api:)`` looks, so that it never reads a whole list.
    private static let shownRows = 50_000

    /// Returns the rows that show pictures kept under these names, in this order. Rows far down in a long list
    /// are missing.
    package func entries(
        showing kept: [Item], api: any APIReading
    ) async throws(Failure) -> [CatalogEntry] {
        let urls = kept.compactMap { SignedURL.url(ofID: $0.id) }
        let wanted = Set(urls)
        let rows = try await file.read(api) {
            $0.pictures(showing: wanted, among: Self.shownRows)
        }
        return urls.compactMap { rows[$0].map { details($0).entry } }
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        let query = try self.query(list: query.list, parameters: query.parameters)
        let limit = query.number("limit") ?? Self.pageRows
        let isReversed = query.parameters["sort"] == Self.orders[1]
        let search = ListSearch(
            words: query.parameters["q"], title: query.parameters["title"])
        if !search.isEmpty {
            return try await found(search, query, limit: limit, isReversed: isReversed, api)
        }
        let number = query.number("page") ?? 0
        let rows = number * limit..<(number + 1) * limit
        let (pictures, count) = try await file.read(api) { index in
            let count = index.count
            let places =
                isReversed
                ? max(0, count - rows.upperBound)..<max(0, count - rows.lowerBound) : rows
            let pictures = index.pictures(places)
            return (isReversed ? pictures.reversed() : pictures, count)
        }
        guard number == 0 || rows.lowerBound < count else { return nil }
        return CatalogPage(
            items: pictures.map(details),
            next: rows.upperBound < count ? query.with("page", number + 1) : nil, total: count,
            firstIndex: rows.lowerBound)
    }

    /// Returns a page of the rows that a search finds. How many there are is known once it has seen the end.
    private func found(
        _ search: ListSearch, _ query: ListQuery, limit: Int, isReversed: Bool,
        _ api: any APIReading
    ) async throws(Failure) -> CatalogPage {
        let start = query.number("after") ?? 0
        let found = try await file.read(api) {
            $0.search(search, from: start, limit: limit, isReversed: isReversed)
        }
        return CatalogPage(
            items: found.pictures.map(details), next: found.next.map { query.with("after", $0) },
            total: start == 0 && found.next == nil ? found.pictures.count : nil, firstIndex: start)
    }

    private func details(_ picture: ListedPicture) -> ItemDetails {
        let item = item(of: picture)
        var details = details(item, title: picture.shownTitle, picture.place)
        details.entry.objectNumber = picture.title == nil ? nil : picture.id
        return details
    }

    private func details(_ item: Item, title: String, _ url: String) -> ItemDetails {
        var entry = CatalogEntry(item: item, title: title)
        entry.rights = definition.rights
        return ItemDetails(
            entry: entry, chain: [.candidate(Candidate(url: url, label: "list", rank: 0))])
    }
}
