import Catalog
import FoundationEssentials
import HTTPTypes
import HitServer
import Imaging
import Pipeline

/// Responds to `/v1/…`: a page of a list, or one item.
struct CatalogResponder: Sendable {
    let pipeline: MediaPipeline
    let access: PrivateAccess
    private let documents = PreparedDocuments()
    private let tags: TagFields

    init(pipeline: MediaPipeline, access: PrivateAccess) {
        tags = TagFields(pipeline.configuration)
        self.pipeline = pipeline
        self.access = access
    }

    private typealias Made = PreparedDocuments.Made

    func answer(
        source: String, rest: [String], parameters: [(String, String)], _ question: Request
    ) async throws(Failure) -> Response {
        let isPrivate = access.userDataRefusal(of: question) == nil
        let key = PreparedDocuments.Key(
            target: question.target, acceptLanguage: question.fields[.acceptLanguage],
            isPrivate: isPrivate)
        let generation = pipeline.generation
        @Sendable func new() async throws(Failure) -> Made {
            let mark = pipeline.storedMark
            var new = try await make(
                source: source, rest: rest, parameters: parameters, question, isPrivate: isPrivate)
            new.document = documents.store(
                new.document, new.outcome, search: new.search, for: key,
                // A machine so busy that making one takes a second would never send one twice.
                PreparedDocuments.Basis(at: pipeline.now(), generation: generation, mark: mark),
                expiresAt: new.expiresAt)
            return new
        }
        let made: Made
        if let entry = documents.entry(
            key, at: pipeline.now(), generation: generation, mark: { pipeline.storedMark })
        {
            made = Made(document: entry.document, outcome: entry.outcome, search: entry.search)
        } else {
            made = try await documents.made(key, generation: generation, new)
        }
        if let search = noted(made.search, isPrivate) {
            try await pipeline.userData.noteSearch(search)
        }
        return made.document.answer(
            question, [.cacheStatus: CacheStatus.field(made.outcome)])
    }

    /// Returns the search that a request belongs into the history with; nil for none.
    private func noted(_ search: ListQuery?, _ isPrivate: Bool) -> ListQuery? {
        guard isPrivate, let search, pipeline.userData.isSearch(search) else { return nil }
        return search
    }

    /// Documents that were removed or replaced since the start.
    var removedDocuments: Int { documents.removed }

    /// Returns the document that a request gets if it was made before, and if sending it is all there is
    /// to do. Doesn't wait.
    func repeated(_ request: Request) -> RepeatedDocument? {
        let isPrivate = access.userDataRefusal(of: request) == nil
        let key = PreparedDocuments.Key(
            target: request.target, acceptLanguage: request.fields[.acceptLanguage],
            isPrivate: isPrivate)
        guard
            let entry = documents.usable(
                key, at: pipeline.now(), generation: pipeline.generation),
            noted(entry.search, isPrivate) == nil
        else { return nil }
        return RepeatedDocument(
            route: .catalog, document: entry.document,
            fields: [.cacheStatus: CacheStatus.field(entry.outcome)], entry: entry)
    }

    private func make(
        source: String, rest: [String], parameters: [(String, String)], _ question: Request,
        isPrivate: Bool
    ) async throws(Failure) -> Made {
        let known = try pipeline.sources.named(source)
        let language = try WantedLanguage(parameters, question)
        if rest.count == 2, known.kinds.contains(rest[0]) {
            return try await item(
                source: source, kind: rest[0], id: rest[1], language, isPrivate: isPrivate)
        }
        return try await page(
            source: known, list: rest.joined(separator: "/"), parameters: parameters, language,
            isPrivate: isPrivate)
    }

    private func item(
        source: String, kind: String, id: String, _ language: WantedLanguage, isPrivate: Bool
    ) async throws(Failure) -> Made {
        let item = try pipeline.item(source: source, kind: kind, id: id)
        let found = try await pipeline.catalog.details(of: item)
        let entry = found.details.entry.inLanguage(language.preference)
        let document = pipeline.document(
            entry, try await pipeline.pictures.shown([item])[item],
            isFavorite: isPrivate
                ? try await pipeline.userData.favorites(among: [item]).contains(item) : nil)
        return Made(
            document: prepared(
                document, maxAge: PreparedDocuments.maxAge, WantedLanguage.fields(of: [entry]),
                tags.of(item), isPrivate: isPrivate),
            outcome: found.outcome, expiresAt: found.expiresAt)
    }

    private func page(
        source: any Source, list: String, parameters: [(String, String)],
        _ language: WantedLanguage, isPrivate: Bool
    ) async throws(Failure) -> Made {
        let request = try ListRequest(
            source: source.name, list: list, parameters, of: pipeline)
        let page = try await FilteredPage(request, language, of: pipeline, forClient: true)
        let entries = page.entries
        let favorites =
            isPrivate
            ? try await pipeline.userData.favorites(among: entries.map(\.item)) : nil
        let shown = try await pipeline.pictures.shown(entries.map(\.item))
        let items = entries.map { entry in
            pipeline.document(
                entry, shown[entry.item], isFavorite: favorites?.contains(entry.item))
        }
        let document = PageDocument(
            items: items, next: page.next.map(request.path), total: page.total, totalOf: .list,
            searchedPages: request.filter.isEmpty ? nil : page.pages,
            directories: page.directories.map { directories in
                directories.map { directory in
                    var query = page.query
                    query.parameters = query.parameters.filter { $0.key == "sort" }
                    query.parameters["dir"] = directory
                    return DirectoryDocument(dir: directory, url: request.path(query))
                }
            }, stale: page.isStale, fetchedAt: page.fetchedAt, expiresAt: page.expiresAt)
        let left = page.isStale ? 0 : max(0, page.expiresAt.timeIntervalSince(pipeline.now()))
        let maxAge = min(left, Double(PreparedDocuments.maxAge))
        return Made(
            document: prepared(
                document, maxAge: Int(maxAge), WantedLanguage.fields(of: entries),
                tags.of(entries.map(\.item), sources: [source.name]), isPrivate: isPrivate),
            outcome: page.outcome, search: request.query, expiresAt: page.expiresAt)
    }

    /// Details change with the stored pictures, so clients keep them shortly and revalidate. A
    /// response with favorites is private, and revalidated each time, because a client changes them
    /// and reads them again.
    private func prepared(
        _ document: some Encodable, maxAge: Int, _ more: HTTPFields, _ tags: HTTPFields,
        isPrivate: Bool
    ) -> PreparedDocument {
        var fields: HTTPFields = [
            .contentType: "application/json",
            .cacheControl: isPrivate ? "private, no-cache" : "public, max-age=\(maxAge)",
            .xContentTypeOptions: "nosniff",
        ]
        fields[.vary] = access.vary
        if !isPrivate {
            fields[.accessControlAllowOrigin] = "*"
            fields.append(contentsOf: tags)
        }
        fields.append(contentsOf: more)
        return PreparedDocument(JSON.encode(document), fields)
    }
}
