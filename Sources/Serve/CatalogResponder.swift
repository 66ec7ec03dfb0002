import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes
import Imaging
import JSON
import Pipeline

/// A page or an item, and how it was obtained.
struct CatalogDocument: Sendable {
    var document: PreparedDocument
    var outcome: CacheOutcome
    /// The search that each request for it is, for the history.
    var search: ListQuery?
    /// When what it says has to be asked for again.
    var expiresAt: Date
}

/// Responds to `/v1/…`: a page of a list, or one item.
struct CatalogResponder: Sendable {
    let pipeline: MediaPipeline
    let access: PrivateAccess
    let address: ServiceAddress
    let tags: TagFields
    private let documents: ResponseCache<Key, CatalogDocument>

    /// Limits of the bytes and the number of pages and items in memory.
    private static let (bytes, count) = (32 << 20, 1_024)
    /// A document, and about as much for two codings, which hits have another copy of.
    private static let costFactor = 3
    /// Responses to longer targets and languages are not kept.
    private static let maxKeyBytes = 512

    /// What a document depends on besides the cache.
    private struct Key: Hashable, Sendable {
        /// Path and query as sent.
        var target: String
        var acceptLanguage: String?
        /// Whether it says what is a favorite.
        var isPrivate: Bool

        var byteCount: Int { target.utf8.count + (acceptLanguage?.utf8.count ?? 0) }
    }

    init(pipeline: MediaPipeline, access: PrivateAccess, address: ServiceAddress) {
        self.pipeline = pipeline
        self.access = access
        self.address = address
        tags = TagFields(pipeline.configuration)
        documents = ResponseCache(
            ResponseLife.Present(pipeline), bytes: Self.bytes, count: Self.count)
    }

    private func key(_ request: Request) -> Key {
        Key(
            target: request.target, acceptLanguage: request.fields[.acceptLanguage],
            isPrivate: access.userDataRefusal(of: request) == nil)
    }

    func answer(
        source: String, rest: [String], parameters: [(String, String)], _ question: Request
    ) async throws(Failure) -> Response {
        let key = key(question)
        // Without its body, because a document lives longer than the connection.
        let asked = Request(method: .get, target: question.target, fields: question.fields)
        let (entry, isNew) = try await documents.entry(key) { last throws(Failure) in
            var made = try await document(
                source: source, rest: rest, parameters: parameters, asked,
                isPrivate: key.isPrivate)
            if let last { made.document = last.document.renewed(by: made.document) }
            return .init(
                content: made,
                cost: key.byteCount <= Self.maxKeyBytes
                    ? made.document.body.count * Self.costFactor : nil,
                lastAt: made.expiresAt.addingTimeInterval(-Double(Self.maxAge)),
                isStale: made.outcome == .stale)
        }
        if let search = noted(entry.content.search, isPrivate: key.isPrivate) {
            try await pipeline.userData.noteSearch(search)
        }
        let outcome = isNew ? entry.content.outcome : Self.outcome(entry.life)
        return entry.content.document.answer(
            question, [.cacheStatus: outcome.cacheStatus])
    }

    /// How a response that was made before is obtained.
    private static func outcome(_ life: ResponseLife) -> CacheOutcome {
        life.freshness.isStale ? .stale : .hit
    }

    /// Returns the search that a request belongs into the history with; nil for none.
    private func noted(_ search: ListQuery?, isPrivate: Bool) -> ListQuery? {
        guard isPrivate, let search, pipeline.userData.isSearch(search) else { return nil }
        return search
    }

    /// Documents that were removed or replaced since the start.
    var removedDocuments: Int { documents.removed }

    /// Returns the document that a request gets if it was made before, and if sending it is all there is
    /// to do. Doesn't wait.
    func repeated(_ request: Request) -> HitOffer? {
        let key = key(request)
        guard let entry = documents.current(key),
            noted(entry.content.search, isPrivate: key.isPrivate) == nil
        else { return nil }
        return entry.content.document.offer(
            request, .catalog, entry.life,
            [.cacheStatus: Self.outcome(entry.life).cacheStatus])
    }
}

// The documents at `/v1/…`: a page of a list, or one item.
extension CatalogResponder {
    /// Clients keep a document for this many seconds, which must not be after it has expired.
    static let maxAge = 60

    func document(
        source: String, rest: [String], parameters: [(String, String)], _ question: Request,
        isPrivate: Bool
    ) async throws(Failure) -> CatalogDocument {
        let known = try pipeline.sources.offered(source)
        let language = try LanguagePreference(parameters, question)
        if rest.count == 2, known.kinds.contains(rest[0]) {
            return try await item(
                source: source, kind: rest[0], id: rest[1], language, isPrivate: isPrivate)
        }
        return try await page(
            source: known, list: rest.joined(separator: "/"), parameters: parameters, language,
            isPrivate: isPrivate)
    }

    private func item(
        source: String, kind: String, id: String, _ language: LanguagePreference, isPrivate: Bool
    ) async throws(Failure) -> CatalogDocument {
        let item = try pipeline.item(source: source, kind: kind, id: id)
        let found = try await pipeline.catalog.details(of: item)
        let entry = found.details.entry.inLanguage(language)
        let documents = try await pipeline.documents(
            of: [(item, entry)],
            favorites: isPrivate ? try await pipeline.userData.favorites(among: [item]) : nil,
            address)
        return CatalogDocument(
            document: prepared(
                documents[0], maxAge: Self.maxAge, LanguagePreference.fields(of: [entry]),
                tags.of(item), isPrivate: isPrivate),
            outcome: found.outcome, expiresAt: found.expiresAt)
    }

    private func page(
        source: any Source, list: String, parameters: [(String, String)],
        _ language: LanguagePreference, isPrivate: Bool
    ) async throws(Failure) -> CatalogDocument {
        let request = try ListRequest(
            source: source.name, list: list, parameters, of: pipeline)
        let page = try await FilteredPage(request, language, of: pipeline, forClient: true)
        let entries = page.entries
        let favorites =
            isPrivate
            ? try await pipeline.userData.favorites(among: entries.map(\.item)) : nil
        let items = try await pipeline.documents(
            of: entries.map { ($0.item, $0) }, favorites: favorites, address)
        var document = JSON.page(
            items, next: page.next.map { address.reference(request.path($0)) }, total: page.total,
            totalOf: "list",
            isStale: page.isStale, fetchedAt: page.fetchedAt, expiresAt: page.expiresAt)
        // Pages of the source that were filtered for it; absent without filters.
        document.add("searchedPages", request.filter.isEmpty ? nil : .integer(page.pages))
        // The directories in the one that is listed, each with the list of its pictures; absent for
        // lists of other things.
        document.add(
            "directories",
            page.directories.map { directories in
                .list(
                    directories.map { directory in
                        var query = page.query
                        query.parameters = query.parameters.filter { $0.key == "sort" }
                        query.parameters["dir"] = directory
                        let url = address.reference(request.path(query))
                        return ["dir": .text(directory), "url": .text(url)]
                    })
            })
        let left = page.isStale ? 0 : max(0, page.expiresAt.timeIntervalSince(pipeline.now()))
        let maxAge = min(left, Double(Self.maxAge))
        return CatalogDocument(
            document: prepared(
                document, maxAge: Int(maxAge), LanguagePreference.fields(of: entries),
                tags.of(entries.map(\.item), sources: [source.name]), isPrivate: isPrivate),
            outcome: page.outcome, search: request.query, expiresAt: page.expiresAt)
    }

    /// Details change with the stored pictures, so clients keep them shortly and revalidate. A
    /// response with favorites is private, and revalidated each time, because a client changes them
    /// and reads them again.
    private func prepared(
        _ document: JSON, maxAge: Int, _ more: HTTPFields, _ tags: HTTPFields,
        isPrivate: Bool
    ) -> PreparedDocument {
        var fields: HTTPFields = [
            .contentType: "application/json",
            .cacheControl: isPrivate ? "private, no-cache" : "public, max-age=\(maxAge)",
            .xContentTypeOptions: "nosniff",
        ]
        fields[.vary] = access.vary
        if !isPrivate {
            fields.allowAnyPage()
            fields.append(contentsOf: tags)
        }
        fields.append(contentsOf: more)
        return PreparedDocument(document.sortedBytes, fields)
    }
}
