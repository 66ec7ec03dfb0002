import Catalog
import FoundationEssentials
import HTTPTypes
import Imaging
import Pipeline

/// Answers `/v1/…`: a page of a list, or one item.
struct CatalogResponder: Sendable {
    let pipeline: MediaPipeline

    func answer(
        source: String, rest: [String], parameters: [(String, String)], _ question: Question
    ) async throws(PipelineError) -> Answer {
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
        _ question: Question
    ) async throws(PipelineError) -> Answer {
        let item = try pipeline.item(source: source, kind: kind, id: id)
        let found = try await pipeline.details(of: item)
        let entry = found.details.entry.inLanguage(language.preference)
        let document = ItemDocument(
            entry, sizes: try await pipeline.storedSizes(of: item),
            levels: pipeline.configuration.levels,
            isFavorite: try await pipeline.favorites(among: [item]).contains(item))
        return Self.answer(
            document, isStale: found.isStale, maxAge: 60, WantedLanguage.fields(of: [entry]),
            question)
    }

    private func page(
        source: any Source, list: String, parameters: [(String, String)],
        _ language: WantedLanguage, _ question: Question
    ) async throws(PipelineError) -> Answer {
        var (filters, own) = try Self.split(parameters, ownFilters: source.ownFilters(ofList: list))
        let filter: CatalogFilter
        do throws(CatalogError) {
            filter = try CatalogFilter(parameters: filters, now: pipeline.now())
        } catch {
            throw .catalog(error)
        }
        let query = try pipeline.query(source: source.name, list: list, parameters: own)
        let page = try await pipeline.page(query, readingAhead: true)
        try await pipeline.noteSearch(query)
        let shown = page.items.map { $0.entry.inLanguage(language.preference) }
            .filter(filter.matches)
        let favorites = try await pipeline.favorites(among: shown.map(\.item))
        var items: [ItemDocument] = []
        for entry in shown {
            items.append(
                ItemDocument(
                    entry, sizes: try await pipeline.storedSizes(of: entry.item),
                    levels: pipeline.configuration.levels,
                    isFavorite: favorites.contains(entry.item)))
        }
        filters[WantedLanguage.parameter] = language.given
        let document = PageDocument(
            items: items, next: page.next.map { Self.path($0, filters) }, total: page.total,
            stale: page.isStale, fetchedAt: page.fetchedAt, expiresAt: page.expiresAt)
        let left = page.isStale ? 0 : max(0, page.expiresAt.timeIntervalSince(pipeline.now()))
        return Self.answer(
            document, isStale: page.isStale, maxAge: Int(min(left, 60)),
            WantedLanguage.fields(of: shown), question)
    }

    /// Filters work on every list that has no parameter of that name; the rest belongs to the list
    /// itself.
    private static func split(
        _ parameters: [(String, String)], ownFilters: Set<String>
    ) throws(PipelineError) -> (filters: [String: String], own: [String: String]) {
        var filters: [String: String] = [:]
        var own: [String: String] = [:]
        for (name, value) in parameters where name != WantedLanguage.parameter {
            let isFilter =
                CatalogFilter.parameterNames.contains(name) && !ownFilters.contains(name)
            guard (isFilter ? filters[name] : own[name]) == nil else {
                throw .catalog(.invalid(reason: "The parameter “\(name)” is given twice."))
            }
            if isFilter { filters[name] = value } else { own[name] = value }
        }
        return (filters, own)
    }

    private static func path(_ query: ListQuery, _ filters: [String: String]) -> String {
        let pairs = query.parameters.merging(filters) { own, _ in own }
            .sorted { $0.key < $1.key }
            .map { "\($0.key)=\(PercentEncoding.encodeQueryValue($0.value))" }
        return "/v1/\(query.source)/\(PercentEncoding.encodePath(query.list))"
            + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    /// Details change with what is stored, so clients keep them shortly and ask with the tag.
    private static func answer(
        _ document: some Encodable, isStale: Bool, maxAge: Int, _ more: HTTPFields,
        _ question: Question
    ) -> Answer {
        let body = JSON.encode(document)
        let entityTag = "\"\(JSONTag.of(body))\""
        var fields: HTTPFields = [
            .contentType: "application/json",
            .cacheControl: "public, max-age=\(maxAge)",
            .eTag: entityTag,
            .cacheStatus: isStale ? "vitrine; fwd=stale" : "vitrine; hit",
            .xContentTypeOptions: "nosniff",
            .accessControlAllowOrigin: "*",
        ]
        fields.append(contentsOf: more)
        let condition = ConditionalRequest(question.fields)
        if condition.isNotModified(entityTag: entityTag, lastModified: nil) {
            return Answer(status: .notModified, fields: fields)
        }
        return Answer(status: .ok, fields: fields, body: body)
    }
}
