package import Fetch
import Folders
import FoundationEssentials
import Hashing
package import Objects

/// The pictures below the prefix of a bucket: `{name}/file/{key}`. Lists are asked for when they are needed, and
/// are not kept.
package struct BucketSource: Source {
    package static let kind = Item.fileKind
    /// Keys and directories of a page. Others than those of pictures are left out of it.
    static let pageKeys = 100
    /// What names of pictures end with. The content tells the format, which a list doesn't have.
    private static let extensions: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "gif", "webp", "avif", "heic", "heif", "hif", "tif",
        "tiff", "svg", "bmp", "dib", "jxl", "jp2", "j2k", "jpf", "jpx", "exr", "hdr",
    ]

    package let definition: BucketDefinition
    package let bucket: S3Bucket

    package init(_ definition: BucketDefinition, _ bucket: S3Bucket) {
        self.definition = definition
        self.bucket = bucket
    }

    package var name: String { definition.name }
    package var title: String { definition.title }
    package var kinds: [String] { [Self.kind] }
    package var lists: [ListDescription] {
        let parameters = [ListParameter("dir", .token), ListParameter("after", .token)]
        return [
            ListDescription("files", title: title, parameters, tabTitle: "Folders"),
            ListDescription("tree", title: title, parameters, tabTitle: "All"),
        ]
    }
    /// A bucket ends.
    package var isFollowed: Bool { true }
    package var isLocal: Bool { true }
    package var imageHosts: [HostPattern] { [] }
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { [] }
    package func idPattern(ofKind kind: String) -> String { "^[^\\u0000-\\u001F\\u007F]{1,1024}$" }
    package var tab: SourceTab? {
        SourceTab(shape: SourceTab.squares, isInRows: true, credit: [])
    }

    /// Seconds after which an object is asked for again.
    package var recheck: Double { definition.recheck }

    // MARK: - Checking

    /// Returns whether a text can be a key: it has no control characters, no part `.` or `..`, which
    /// clients and libraries remove from URLs, and no hidden part.
    static func isKey(_ text: String, showsHidden: Bool) -> Bool {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        return text.utf8.split(separator: slash, omittingEmptySubsequences: true)
            .allSatisfy { part in
                part.first != dot
                    || showsHidden && !part.elementsEqual([dot]) && !part.elementsEqual([dot, dot])
            }
    }

    private func shows(_ key: String) -> Bool {
        (1...max(1, bucket.longestKey)).contains(key.utf8.count)
            && Self.isKey(key, showsHidden: definition.showsHidden)
    }

    package func item(kind: String, id: String) throws(Failure) -> Item {
        try check(kind: kind)
        guard shows(id) else { throw FolderSource.absent(id) }
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
            let directory = Self.directory(text)
            guard shows(directory) else { throw FolderSource.noDirectory(text) }
            values["dir"] = directory
        }
        if let after = values["after"] {
            let beginning = Self.beginning(values["dir"])
            guard after.utf8.starts(with: beginning.utf8), after.utf8.count <= S3Bucket.maxKey,
                Self.isKey(after, showsHidden: true)
            else {
                throw .invalid(
                    reason: "“after” is not a key of this list; take it from the page before.")
            }
        }
        return ListQuery(source: name, list: list, parameters: values)
    }

    /// Returns the list of that name in a directory.
    package func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        try FolderSource.listing(name, in: words)
    }

    /// Returns the one name of a directory: without the slash at its end, but for one whose name is empty,
    /// such as that of the key `a//b.jpg`.
    private static func directory(_ text: String) -> String {
        guard text.utf8.last == UInt8(ascii: "/") else { return text }
        let name = String(Substring(text.utf8.dropLast()))
        return name.isEmpty || name.utf8.last == UInt8(ascii: "/") ? text : name
    }

    /// Returns where the keys in a directory begin.
    private static func beginning(_ directory: String?) -> String {
        guard let directory else { return "" }
        return directory.utf8.last == UInt8(ascii: "/") ? directory : directory + "/"
    }

    // MARK: - Asking

    /// Where an item's picture is, as the index names it. It names neither the endpoint nor the bucket, because
    /// clients read it, and no other source can have the same, because what this one's credentials allow is not
    /// for others.
    package func url(of item: Item) -> String {
        "\(BucketDefinition.scheme)\(name)/\(PercentCoding.encoded(item.id, keeping: "/"))"
    }

    package func freeDetails(of item: Item) -> ItemDetails? { details(item) }

    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        let item = try self.item(kind: item.kind, id: item.id)
        do throws(BucketError) {
            return details(item, try await bucket.look(item.id).modifiedAt)
        } catch {
            throw Self.failure(error, absent: .notFound)
        }
    }

    /// Returns the failure of a bucket as that of a catalog.
    private static func failure(_ error: BucketError, absent: Failure.Kind) -> Failure {
        let kind: Failure.Kind =
            switch error.kind {
            case .absent: absent
            case .unusable, .unavailable: .sourceUnavailable
            case .timedOut: .sourceTimedOut
            case .canceled: .canceled
            }
        return Failure(kind, error.description, cause: error)
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        let checked = try self.query(list: query.list, parameters: query.parameters)
        let directory = checked.parameters["dir"]
        let listing: BucketListing
        do throws(BucketError) {
            listing = try await bucket.list(
                .init(
                    Self.beginning(directory), isFlat: query.list == "files",
                    after: checked.parameters["after"], token: query.link, limit: Self.pageKeys))
        } catch {
            throw Self.failure(error, absent: .sourceUnavailable)
        }
        // A directory is where keys begin, so that one without keys doesn't exist.
        if let directory, checked.parameters["after"] == nil, listing.count == 0 {
            throw FolderSource.noDirectory(directory)
        }
        var next: ListQuery?
        if listing.isTruncated, let last = listing.last {
            next = checked
            next?.parameters["after"] = last
            next?.link = listing.token
        }
        let pictures = listing.objects.filter { $0.byteCount > 0 && isPicture($0.key) }
        var page = CatalogPage(
            items: pictures.map {
                details(Item(source: name, kind: Self.kind, id: $0.key), $0.modifiedAt)
            }, next: next)
        if query.list == "files" {
            page.directories = listing.directories.filter(shows).map(Self.directory)
        }
        return page
    }

    /// Returns whether an object may be a picture by its name. One without an extension may be.
    private func isPicture(_ key: String) -> Bool {
        guard shows(key), key.utf8.last != UInt8(ascii: "/") else { return false }
        let name = Folder.split(key).name
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return true }
        return Self.extensions.contains(
            String(Substring(name.utf8[dot...].dropFirst())).lowercased())
    }

    private func details(_ item: Item, _ modified: Date? = nil) -> ItemDetails {
        let (directory, file) = Folder.split(item.id)
        var entry = CatalogEntry(item: item, title: file.nonEmpty ?? item.id)
        entry.subtitle = directory.nonEmpty
        if let modified { entry.date = PartialDate(dayOf: modified).firstDay }
        return ItemDetails(
            entry: entry,
            chain: [.candidate(Candidate(url: url(of: item), label: "object", rank: 0))])
    }
}
