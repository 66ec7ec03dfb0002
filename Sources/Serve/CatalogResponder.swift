import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes
import Imaging
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

    init(pipeline: MediaPipeline, access: PrivateAccess) {
        self.pipeline = pipeline
        self.access = access
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
