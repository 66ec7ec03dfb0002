import FoundationEssentials
import HTTPTypes
import HitServer
import Pipeline
import Synchronization

/// Documents that are hits: the gallery, the description, and catalog pages and items that were
/// made before. Any thread.
///
/// A document depends on many fields of a request: content codings, languages, and whether its client may
/// see favorites. So the threads repeat it for requests whose heads are equal to the last byte, and
/// the responders decide everything when a head is first seen. Only what they have is repeated. A request
/// in the background renews it.
final class DocumentHits: Sendable {
    /// Limit of the bytes of heads and responses' fields that all threads keep. Over it, all are
    /// dropped, and none is added until that is done.
    private static let maxBytes = 16 << 20
    /// A document's fields, and its records. Bodies belong to ``PreparedDocuments``.
    private static let overhead = 4_096

    private let pipeline: MediaPipeline
    private let responder: Responder
    private let bytes = Atomic(0)
    private let epoch = Atomic(0)

    init(_ pipeline: MediaPipeline, _ responder: Responder) {
        self.pipeline = pipeline
        self.responder = responder
    }

    /// Increases when records stop being current for another reason than their age.
    var retiredCount: Int {
        responder.retiredDocuments &+ epoch.load(ordering: .relaxed)
    }

    /// See ``HitSource/document(_:)``.
    func document(_ head: RequestHead) -> HitOffer? {
        guard bytes.load(ordering: .relaxed) <= Self.maxBytes,
            let request = Request(head: head), let repeated = responder.repeated(request),
            let (fields, body) = repeated.document.hit(request, repeated.fields)
        else { return nil }
        let hit = DocumentHit(
            repeated, fields, body, request, epoch: epoch.load(ordering: .relaxed))
        return HitOffer(record: hit, prepared: hit.prepared, isNegotiated: false, expires: nil)
    }

    func isCurrent(_ hit: DocumentHit) -> Bool {
        guard hit.epoch == epoch.load(ordering: .relaxed) else { return false }
        return hit.entry?.isUsable(at: pipeline.now(), generation: pipeline.generation) ?? true
    }

    /// Returns the freshness. Renews the document if that is due.
    func use(_ hit: DocumentHit, at now: Date) -> HitFreshness {
        if hit.renews(at: now) {
            // Unstructured, because the thread answers other requests meanwhile.
            Task { [responder] in _ = await responder.answer(hit.request) }
        }
        return hit.freshness
    }

    func charge(_ count: Int) {
        let added = count > 0 ? count + Self.overhead : count - Self.overhead
        let held = bytes.add(added, ordering: .relaxed)
        if held.oldValue <= Self.maxBytes, held.newValue > Self.maxBytes {
            epoch.add(1, ordering: .relaxed)
        }
    }
}
