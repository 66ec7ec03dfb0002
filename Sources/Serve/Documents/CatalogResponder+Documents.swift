import Catalog
import FoundationEssentials
import HTTPTypes
import JSON
import Pipeline

/// Makes the documents at `/v1/…`: a page of a list, or one item.
extension CatalogResponder {
    /// Clients keep a document for this many seconds, which must not be after it has expired.
    static let maxAge = 60

    func document(
        source: String, rest: [String], parameters: [(String, String)], _ question: Request,
        isPrivate: Bool
    ) async throws(Failure) -> CatalogDocument {
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
    ) async throws(Failure) -> CatalogDocument {
        let item = try pipeline.item(source: source, kind: kind, id: id)
        let found = try await pipeline.catalog.details(of: item)
        let entry = found.details.entry.inLanguage(language.preference)
        let document = pipeline.document(
            entry, try await pipeline.pictures.shown([item])[item],
            isFavorite: isPrivate
                ? try await pipeline.userData.favorites(among: [item]).contains(item) : nil)
        return CatalogDocument(
            document: prepared(
                document, maxAge: Self.maxAge, WantedLanguage.fields(of: [entry]),
                tags.of(item), isPrivate: isPrivate),
            outcome: found.outcome, expiresAt: found.expiresAt)
    }

    private func page(
        source: any Source, list: String, parameters: [(String, String)],
        _ language: WantedLanguage, isPrivate: Bool
    ) async throws(Failure) -> CatalogDocument {
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
        var document = JSON.page(
            items, next: page.next.map(request.path), total: page.total, totalOf: "list",
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
                        return ["dir": .text(directory), "url": .text(request.path(query))]
                    })
            })
        let left = page.isStale ? 0 : max(0, page.expiresAt.timeIntervalSince(pipeline.now()))
        let maxAge = min(left, Double(Self.maxAge))
        return CatalogDocument(
            document: prepared(
                document, maxAge: Int(maxAge), WantedLanguage.fields(of: entries),
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
            fields[.accessControlAllowOrigin] = "*"
            fields.append(contentsOf: tags)
        }
        fields.append(contentsOf: more)
        return PreparedDocument(document.sortedBytes, fields)
    }
}
