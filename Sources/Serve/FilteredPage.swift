import Catalog
import FoundationEssentials
import Pipeline

/// A page of a list as a client gets it: what its filters let through of one page of the source, or of
/// several if little matches.
struct FilteredPage: Sendable {
    /// Pages of the source that one response looks through, at most. A filter that matches nothing would
    /// otherwise read a whole catalog.
    static let mostPages = 5
    /// Seconds after which no further page is begun.
    private static let patience = 2.0

    /// In the client's language.
    private(set) var entries: [CatalogEntry] = []
    /// Where the next response continues.
    private(set) var next: ListQuery?
    /// Of the first page.
    let query: ListQuery
    let total: Int?
    /// Directories in the one that is listed; nil for lists of other things.
    private(set) var directories: [String]?
    private(set) var fetchedAt: Date
    private(set) var expiresAt: Date
    private(set) var outcome: CacheOutcome
    /// Pages of the source that were looked through.
    private(set) var pages = 0

    var isStale: Bool { outcome == .stale }

    /// - Parameter forClient: see ``CatalogReader/page(_:forClient:)``.
    init(
        _ request: ListRequest, _ language: LanguagePreference, of pipeline: MediaPipeline,
        forClient: Bool = false
    ) async throws(Failure) {
        let first = try await pipeline.catalog.page(request.query, forClient: forClient)
        query = first.query
        (total, fetchedAt, expiresAt) = (first.total, first.fetchedAt, first.expiresAt)
        outcome = first.outcome
        add(first, request, language)
        guard !request.filter.isEmpty else { return }
        let end = pipeline.now().addingTimeInterval(Self.patience)
        while entries.isEmpty, let query = next, pages < Self.mostPages, pipeline.now() < end {
            let page: PageAnswer
            do throws(Failure) {
                page = try await pipeline.catalog.page(query, forClient: forClient)
            } catch {
                // The next response begins there and reports it.
                guard error.isTransient else { throw error }
                return
            }
            fetchedAt = min(fetchedAt, page.fetchedAt)
            expiresAt = min(expiresAt, page.expiresAt)
            if page.isStale || outcome == .hit { outcome = page.outcome }
            add(page, request, language)
        }
    }

    private mutating func add(
        _ page: PageAnswer, _ request: ListRequest, _ language: LanguagePreference
    ) {
        entries += page.items.map { $0.entry.inLanguage(language) }
            .filter(request.filter.matches)
        if let more = page.directories { directories = (directories ?? []) + more }
        next = page.next
        pages += 1
    }
}
