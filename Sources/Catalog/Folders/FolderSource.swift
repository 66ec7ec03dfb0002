package import Fetch
package import Folders
import FoundationEssentials
import Threads

/// The pictures below a directory: `{name}/file/{path}`. They are read where they are, and nothing is
/// asked over the network.
package struct FolderSource: Source {
    package static let kind = Item.fileKind
    /// Files of a page. Other files than pictures are left out of it.
    static let pageFiles = 100
    /// Directories of a page.
    static let pageDirectories = 1_000
    private static let pages = 0...1_000_000
    /// What a format is detected from.
    private static let headBytes = 8 << 10
    /// Bytes of a file for which those don't tell it.
    private static let longHeadBytes = 1 << 20

    package let files: FolderFiles
    /// Returns whether a file that begins like this is a picture.
    private let isPicture: @Sendable (_ head: [UInt8]) -> Bool
    /// Returns whether more of such a file has to be seen.
    private let needsMore: @Sendable (_ head: [UInt8]) -> Bool

    package init(
        _ files: FolderFiles, isPicture: @escaping @Sendable (_ head: [UInt8]) -> Bool,
        needsMore: @escaping @Sendable (_ head: [UInt8]) -> Bool = { _ in false }
    ) {
        self.files = files
        self.isPicture = isPicture
        self.needsMore = needsMore
    }

    private var folder: Folder { files.folder }
    package var name: String { folder.name }
    package var title: String { folder.title }
    package var kinds: [String] { [Self.kind] }
    package var lists: [ListDescription] {
        let directory = ListParameter("dir", .token)
        return [
            ListDescription(
                "files", title: title,
                [
                    directory, ListParameter("sort", .token),
                    ListParameter("page", .page(Self.pages)),
                ],
                tabTitle: "Folders"),
            ListDescription(
                "tree", title: title, [directory, ListParameter("after", .token)], tabTitle: "All"),
        ]
    }
    /// Files have names and dates.
    package var filters: Set<String> { ["title", "from", "to"] }
    /// A folder ends, and nothing but this machine is asked.
    package var isFollowed: Bool { true }
    package var isLocal: Bool { true }
    package var imageHosts: [HostPattern] { [] }
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { [] }
    package func idPattern(ofKind kind: String) -> String { "^[^\\u0000-\\u001F\\u007F]{1,4000}$" }
    package var tab: SourceTab? {
        SourceTab(shape: SourceTab.squares, isInRows: true, credit: [])
    }

    /// Seconds after which a file that nothing reports as changed is looked at again.
    package var recheck: Double { folder.recheck }

    // MARK: - Checking

    package func item(kind: String, id: String) throws(Failure) -> Item {
        try check(kind: kind)
        guard folder.shows(id) else { throw Self.absent(id) }
        return Item(source: name, kind: kind, id: id)
    }

    package func query(
        list: String, parameters: [String: String]
    ) throws(Failure) -> ListQuery {
        guard let known = self.list(list) else {
            throw .notFound("\(title) has no list", list, among: lists.map(\.name))
        }
        var values = try known.values(parameters, owner: "\(title)'s list “\(list)”")
        if let text = values["dir"] {
            let directory = text.hasSuffix("/") ? String(text.dropLast()) : text
            guard folder.shows(directory) else { throw Self.noDirectory(directory) }
            values["dir"] = directory
        }
        if let text = values["sort"] {
            guard let order = DirectoryLists.Order(rawValue: text) else {
                throw .invalid(reason: "“sort” is “name” or “time”, not “\(text.shortened)”.")
            }
            values["sort"] = order == .name ? nil : order.rawValue
        }
        return ListQuery(source: name, list: list, parameters: values)
    }

    /// Returns the list of that name in a directory.
    package func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        try Self.listing(name, in: words)
    }

    /// Does that for each source with directories.
    static func listing(
        _ name: String, in words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        if words.count > 1 {
            throw .invalid(
                reason: "A list has one directory; leave “\(words[1].shortened)” out.")
        }
        return (name, words.isEmpty ? [:] : ["dir": words[0]])
    }

    static func absent(_ path: String) -> Failure {
        .notFound(reason: "There is no picture “\(path.shortened)”.")
    }

    static func noDirectory(_ path: String) -> Failure {
        .notFound(reason: "There is no directory “\(path.shortened)”.")
    }

    /// Returns the failure of a file that can't be had.
    package static func failure(_ error: FolderError, _ path: String) -> Failure {
        switch error {
        case .notFound: absent(path)
        case .tooLarge, .busy, .unsupported, .noFolder, .unreadable:
            .unavailable(reason: "\(error)", cause: error)
        }
    }

    // MARK: - Reading

    /// Where an item's picture is, as the index names it.
    package func url(of item: Item) -> String { "file:\(folder.path)/\(item.id)" }

    package func freeDetails(of item: Item) -> ItemDetails? { details(item) }

    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        let path = try self.item(kind: item.kind, id: item.id).id
        do throws(FolderError) {
            return try await FileThreads.run { [self] () throws(FolderError) in
                _ = try files.look(path)
                guard let details = try picture(path) else { throw .notFound }
                return details
            }
        } catch {
            throw Self.failure(error, path)
        }
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        let query = try self.query(list: query.list, parameters: query.parameters)
        let directory = query.parameters["dir"] ?? ""
        do throws(FolderError) {
            return try await FileThreads.run { [self] () throws(FolderError) in
                query.list == "tree"
                    ? try tree(query, directory) : try self.files(query, directory)
            }
        } catch {
            throw error == .notFound ? Self.noDirectory(directory) : Self.failure(error, directory)
        }
    }

    private func files(
        _ query: ListQuery, _ directory: String
    ) throws(FolderError) -> CatalogPage? {
        files.watch(directory)
        let number = query.number("page") ?? 0
        let order = query.parameters["sort"].flatMap(DirectoryLists.Order.init) ?? .name
        func part(_ size: Int) -> Range<Int> { number * size..<(number + 1) * size }
        let (wanted, wantedDirectories) = (part(Self.pageFiles), part(Self.pageDirectories))
        let found = try files.lists.page(
            directory, by: order, files: wanted, directories: wantedDirectories)
        guard number == 0 || !found.files.isEmpty || !found.directories.isEmpty else { return nil }
        let isLast =
            wanted.upperBound >= found.total
            && wantedDirectories.upperBound >= found.totalDirectories
        var page = CatalogPage(
            items: pictures(found.files), next: isLast ? nil : query.with("page", number + 1),
            total: found.total,
            firstIndex: min(wanted.lowerBound, found.total))
        if number == 0 || !found.directories.isEmpty { page.directories = found.directories }
        return page
    }

    private func tree(
        _ query: ListQuery, _ directory: String
    ) throws(FolderError) -> CatalogPage {
        let found = try files.lists.page(
            below: directory, after: query.parameters["after"], limit: Self.pageFiles)
        var next: ListQuery?
        if let place = found.next {
            next = query
            next?.parameters["after"] = place
        }
        return CatalogPage(items: pictures(found.files), next: next)
    }

    /// Returns the pictures among files.
    private func pictures(_ paths: [String]) -> [ItemDetails] {
        // A file that can't be read, or is gone since, is left out of the list.
        paths.compactMap { path in (try? picture(path)) ?? nil }
    }

    /// Returns nil for a file that is not a picture.
    private func picture(_ path: String) throws(FolderError) -> ItemDetails? {
        let file = try files.tree.open(path)
        var head = try file.head(Self.headBytes)
        if needsMore(head) { head = try file.head(Self.longHeadBytes) }
        guard isPicture(head) else { return nil }
        var details = details(Item(source: name, kind: Self.kind, id: path))
        let seconds = Double(file.facts.modified) / 1e9
        details.entry.date = PartialDate(dayOf: Date(timeIntervalSince1970: seconds)).firstDay
        return details
    }

    private func details(_ item: Item) -> ItemDetails {
        let (directory, file) = Folder.split(item.id)
        var entry = CatalogEntry(item: item, title: file)
        entry.subtitle = directory.nonEmpty
        return ItemDetails(
            entry: entry,
            chain: [.candidate(Candidate(url: url(of: item), label: "file", rank: 0))])
    }
}
