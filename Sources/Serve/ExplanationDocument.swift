import Catalog
import FoundationEssentials
import Imaging
import Pipeline
import Store

/// Where an item's picture comes from, in the JSON form of the API.
///
/// URLs are reduced to their hosts, because queries may hold a key.
struct ExplanationDocument: Encodable {
    /// One candidate of the chain.
    struct Candidate: Encodable {
        var label: String
        @Nullable var host: String?
        /// `chosen`, `failed`, `remembered`, `stored`, or `untried`.
        var state: String
        /// What happened, if something went wrong.
        @Nullable var reason: String?
        /// Size, bytes and format of the original, if it is stored; else the size that the catalog
        /// names.
        @Nullable var size: PixelSize?
        @Nullable var bytes: Int?
        @Nullable var format: String?
        /// When the origin was asked last, and how long it took then.
        @Nullable var askedAt: Date?
        @Nullable var milliseconds: Int?
    }

    /// A step of the last miss.
    struct Step: Encodable {
        var label: String
        /// `chosen`, `failed`, `remembered` or `followed`.
        var outcome: String
        var note: String
        /// How long the answer took; `null` for what was stored.
        @Nullable var milliseconds: Int?
        /// `planar`, `libvips` or both: what made thumbnails of the picture.
        @Nullable var lanes: String?
    }

    struct Level: Encodable {
        struct Thumbnail: Encodable {
            var format: String
            var size: PixelSize
            var bytes: Int
        }

        var name: String
        /// The label of the candidate that it was made from.
        @Nullable var candidate: String?
        @Nullable var freshUntil: Date?
        /// The kind of a remembered failure.
        @Nullable var failure: String?
        var thumbnails: [Thumbnail]
    }

    var item: String
    @Nullable var title: String?
    var candidates: [Candidate]
    @Nullable var resolvedAt: Date?
    var steps: [Step]
    var levels: [Level]

    init(_ explanation: Explanation) {
        item = explanation.item.description
        title = explanation.title
        let steps = explanation.trace?.steps ?? []
        candidates = explanation.candidates.map { candidate in
            Candidate(candidate, steps.last { $0.url == candidate.url })
        }
        resolvedAt = explanation.trace?.resolvedAt
        self.steps = steps.map {
            Step(
                label: $0.label, outcome: $0.outcome.rawValue, note: $0.note,
                milliseconds: $0.milliseconds, lanes: $0.lanes)
        }
        levels = explanation.levels.map { shown in
            Level(
                name: shown.level.name,
                candidate: shown.resolution?.url.flatMap { url in
                    explanation.candidates.first { $0.url == url }?.label
                },
                freshUntil: shown.resolution?.freshUntil, failure: shown.failure?.kind.rawValue,
                thumbnails: shown.thumbnails.sorted { $0.key.format < $1.key.format }.map {
                    Level.Thumbnail(
                        format: $0.key.format,
                        size: PixelSize(width: $0.facts.width, height: $0.facts.height),
                        bytes: $0.facts.byteCount)
                })
        }
    }
}

extension ExplanationDocument.Candidate {
    fileprivate init(_ candidate: Explanation.Candidate, _ step: Trace.Step?) {
        let original = candidate.original
        let isStored = original?.digest != nil
        label = candidate.label
        host = URL(string: candidate.url)?.host
        state = step?.outcome.rawValue ?? (isStored ? "stored" : "untried")
        reason = original?.failure?.reason
        size =
            isStored
            ? PixelSize(original?.width, original?.height)
            : PixelSize(candidate.width, candidate.height)
        bytes = isStored ? original?.byteCount : nil
        format = isStored ? original?.format : nil
        askedAt = original?.fetchedAt
        milliseconds = candidate.milliseconds
    }
}
