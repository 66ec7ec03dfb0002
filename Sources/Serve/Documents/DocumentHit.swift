import FoundationEssentials
import HTTPTypes
import HitServer
import Pipeline
import Synchronization

/// What `Responder` repeats: a document, and what its validity depends on.
struct RepeatedDocument: Sendable {
    var route: HitRoute
    var document: PreparedDocument
    /// Fields besides the document's own.
    var fields: HTTPFields = [:]
    /// Nil for a document that is constant while the service runs.
    var entry: PreparedDocuments.Entry?
}

/// The prepared response to a request for a document. Any thread.
final class DocumentHit: Sendable {
    let prepared: PreparedHit
    let request: Request
    let entry: PreparedDocuments.Entry?
    /// Of ``DocumentHits`` when it was made.
    let epoch: Int
    /// The confirmation of its entry that it has asked to renew.
    private let renewed = Atomic<UInt64>(0)

    init(
        _ repeated: RepeatedDocument, _ fields: HTTPFields, _ body: BodyBuffer, _ request: Request,
        epoch: Int
    ) {
        self.request = request
        self.epoch = epoch
        entry = repeated.entry
        prepared = PreparedHit(
            repeated.route, body: body.view, file: nil, byteCount: body.view.count, owner: body,
            entityTag: Array((fields[.eTag] ?? "").utf8), lastModified: [],
            fields: FieldLines(fields))
    }

    var freshness: HitFreshness {
        HitFreshness(isStale: entry?.outcome == .stale, secondsLeft: 0)
    }

    /// Returns true for the first caller since its entry was confirmed, if that is long ago. That caller
    /// renews it.
    func renews(at now: Date) -> Bool {
        guard let confirmed = entry?.confirmation(agedAt: now) else { return false }
        let known = renewed.load(ordering: .relaxed)
        return known != confirmed
            && renewed.compareExchange(
                expected: known, desired: confirmed, ordering: .relaxed
            ).exchanged
    }
}
