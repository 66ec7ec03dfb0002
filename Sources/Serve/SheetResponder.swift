import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes
import Hashing
import Imaging
import Pipeline
import Store

/// Responds to `/sheet/…`: the thumbnails of a catalog page in one picture, or their positions on
/// it.
struct SheetResponder: Sendable {
    let pipeline: MediaPipeline
    private let tags: TagFields

    init(pipeline: MediaPipeline) {
        self.pipeline = pipeline
        tags = TagFields(pipeline.configuration)
    }

    func answer(
        level: String, source: String, list: String, form: Route.SheetForm,
        parameters: [(String, String)], _ question: Request
    ) async throws(Failure) -> Response {
        let level = try pipeline.level(level)
        let request = try ListRequest(
            source: source, list: list, parameters, of: pipeline, isForPicture: true)
        let language = try LanguagePreference(parameters, question)
        let page = try await FilteredPage(request, language, of: pipeline)
        let items = page.entries.map(\.item)
        // The language matters only for filters, which compare titles.
        let vary = request.filter.isEmpty ? [] : ["Accept-Language"]
        switch form {
        case .picture(let format):
            let chosen = format ?? Negotiation(accept: question.fields[.accept]).format
            let sheet = try await pipeline.sheets.sheet(of: items, level: level, format: chosen)
            return picture(
                sheet, chosen, page, vary: Self.vary(format, vary), question)
        case .rectangles:
            let plan = try await pipeline.sheets.plan(of: items, level: level, format: .webp)
            let path = "/sheet/\(level.name)/\(source)/\(PercentCoding.encoded(list, keeping: "/"))"
            return rectangles(
                plan, url: path + request.queryString(request.query), page, vary: vary, question)
        }
    }

    /// Returns the picture of a list without filters; nil if it is not stored.
    func stored(
        _ level: String, _ source: String, _ list: String, _ format: ThumbnailFormat?,
        _ parameters: [(String, String)], _ question: Request
    ) async throws(Failure) -> Response? {
        let level = try pipeline.level(level)
        let request = try ListRequest(
            source: source, list: list, parameters, of: pipeline, isForPicture: true)
        // Filters compare titles, which depend on the language.
        guard request.filter.isEmpty,
            !parameters.contains(where: { $0.0 == LanguagePreference.parameter })
        else { return nil }
        let page = try await FilteredPage(
            request, try LanguagePreference(parameters, question), of: pipeline)
        let chosen = format ?? Negotiation(accept: question.fields[.accept]).format
        return try await pipeline.sheets.storedSheet(
            of: page.entries.map(\.item), level: level, format: chosen
        ).map { picture($0, chosen, page, vary: Self.vary(format, []), question) }
    }

    private static func vary(_ format: ThumbnailFormat?, _ more: [String]) -> [String] {
        (format == nil ? ["Accept"] : []) + more
    }

    private func picture(
        _ sheet: SheetAnswer, _ format: ThumbnailFormat, _ page: FilteredPage, vary: [String],
        _ question: Request
    ) -> Response {
        var fields = HTTPFields.blob(sheet.blob.digest)
        fields[.contentType] = format.contentType
        fields.append(contentsOf: life(sheet.plan, page))
        fields.append(contentsOf: tags(sheet.plan, page))
        if !vary.isEmpty { fields[.vary] = vary.joined(separator: ", ") }
        fields[.lastModified] = HTTPDate.format(sheet.renderedAt)
        // A stored sheet is a hit only if the page that chose its items is one.
        let outcome = sheet.outcome == .hit ? page.outcome : sheet.outcome
        fields[.cacheStatus] = outcome.cacheStatus
        var whole = Response(status: .ok, fields: fields)
        whole.file = FileBody(blob: sheet.blob, parts: [.range(0..<sheet.blob.byteCount)])
        return whole.unlessKnown(to: question, lastModified: sheet.renderedAt)
    }

    private func rectangles(
        _ plan: SheetPlan, url: String, _ page: FilteredPage, vary: [String], _ question: Request
    ) -> Response {
        var document = SheetDocument(url: url, layout: plan.layout)
        for tile in plan.tiles {
            document.add(
                item: tile.item.description, tile.frame, isPlaceholder: tile.isPlaceholder)
        }
        let made: CacheOutcome =
            plan.isStale ? .stale : plan.wasMade ? .miss : .hit
        let outcome = made == .hit || page.isStale ? page.outcome : made
        let body = document.json
        var fields: HTTPFields = [
            .contentType: "application/json",
            .eTag: Digest(of: body).entityTag,
            .cacheStatus: outcome.cacheStatus,
            .xContentTypeOptions: "nosniff",
            .accessControlAllowOrigin: "*", .accessControlExposeHeaders: HTTPFields.exposed,
        ]
        fields.append(contentsOf: life(plan, page))
        fields.append(contentsOf: tags(plan, page))
        if !vary.isEmpty { fields[.vary] = vary.joined(separator: ", ") }
        return Response(status: .ok, fields: fields, body: body).unlessKnown(to: question)
    }

    private func tags(_ plan: SheetPlan, _ page: FilteredPage) -> HTTPFields {
        tags.of(plan.tiles.map(\.item), sources: [page.query.source])
    }

    /// Returns the lifetime: that of the least fresh picture, or of the page if it expires earlier.
    private func life(_ plan: SheetPlan, _ page: FilteredPage) -> HTTPFields {
        let (now, until) = (pipeline.now(), min(plan.freshUntil, page.expiresAt))
        return pipeline.lifeFields(
            until: page.isStale ? min(until, now) : until, isPrivate: plan.isPrivate)
    }
}
