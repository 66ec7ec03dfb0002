import Catalog
import FoundationEssentials
import HTTPTypes
import Imaging
import Pipeline

/// Responds to `/v1/…`: a page of a list, or one item.
struct CatalogResponder: Sendable {
    let pipeline: MediaPipeline
    let access: PrivateAccess

    func answer(
        source: String, rest: [String], parameters: [(String, String)], _ question: Request
    ) async throws(Failure) -> Response {
        let known = try pipeline.sources.named(source)
        let language = try WantedLanguage(parameters, question)
        if rest.count == 2, known.kinds.contains(rest[0]) {
            return try await item(source: source, kind: rest[0], id: rest[1], language, question)
        }
        return try await page(
            source: known, list: rest.joined(separator: "/"), parameters: parameters, language,
            question)
    }

    private func item(
        source: String, kind: String, id: String, _ language: WantedLanguage,
        _ question: Request
    ) async throws(Failure) -> Response {
        let item = try pipeline.item(source: source, kind: kind, id: id)
        let found = try await pipeline.catalog.details(of: item)
        let entry = found.details.entry.inLanguage(language.preference)
        let document = ItemDocument(
            entry, try await pipeline.pictures.shown([item])[item],
            levels: pipeline.configuration.levels,
            isFavorite: try await favorites(among: [item], question)?.contains(item))
        return answer(
            document, found.outcome, maxAge: 60, WantedLanguage.fields(of: [entry]),
            question)
    }

    private func page(
        source: any Source, list: String, parameters: [(String, String)],
        _ language: WantedLanguage, _ question: Request
    ) async throws(Failure) -> Response {
        let request = try ListRequest(
            source: source.name, list: list, parameters, of: pipeline)
        let page = try await pipeline.catalog.page(request.query, forClient: true)
        let isPrivate = access.userDataRefusal(of: question) == nil
        if isPrivate { try await pipeline.userData.noteSearch(request.query) }
        let entries = page.items.map { $0.entry.inLanguage(language.preference) }
            .filter(request.filter.matches)
        let favorites = try await favorites(among: entries.map(\.item), question)
        let shown = try await pipeline.pictures.shown(entries.map(\.item))
        let items = entries.map { entry in
            ItemDocument(
                entry, shown[entry.item], levels: pipeline.configuration.levels,
                isFavorite: favorites?.contains(entry.item))
        }
        let document = PageDocument(
            items: items, next: page.next.map(request.path), total: page.total,
            stale: page.isStale, fetchedAt: page.fetchedAt, expiresAt: page.expiresAt)
        let left = page.isStale ? 0 : max(0, page.expiresAt.timeIntervalSince(pipeline.now()))
        return answer(
            document, page.outcome, maxAge: Int(min(left, 60)),
            WantedLanguage.fields(of: entries), question)
    }

    /// nil for clients that may not use favorites.
    private func favorites(
        among items: [Item], _ question: Request
    ) async throws(Failure) -> Set<Item>? {
        guard access.userDataRefusal(of: question) == nil else { return nil }
        return try await pipeline.userData.favorites(among: items)
    }

    /// Details change with the stored pictures, so clients keep them shortly and revalidate.
    private func answer(
        _ document: some Encodable, _ outcome: CacheOutcome, maxAge: Int, _ more: HTTPFields,
        _ question: Request
    ) -> Response {
        let body = JSON.encode(document)
        // A response with favorites is private.
        let isPrivate = access.userDataRefusal(of: question) == nil
        var fields: HTTPFields = [
            .contentType: "application/json",
            .cacheControl: "\(isPrivate ? "private" : "public"), max-age=\(maxAge)",
            .eTag: BlobFields.entityTag(of: body),
            .cacheStatus: CacheStatus.field(outcome),
            .xContentTypeOptions: "nosniff",
        ]
        fields[.vary] = access.vary
        if !isPrivate { fields[.accessControlAllowOrigin] = "*" }
        fields.append(contentsOf: more)
        return Response(status: .ok, fields: fields, body: body).unlessKnown(to: question)
    }
}
