import Catalog
import FoundationEssentials
import Imaging
import JSON
import Pipeline
import Store

extension JSON {
    /// Returns where an item's picture comes from, in the JSON form of the API.
    ///
    /// URLs are reduced to their hosts, because queries may hold a key.
    static func explanation(_ explanation: Explanation) -> JSON {
        let steps = explanation.trace?.steps ?? []
        return [
            "item": .text(explanation.item.description), "title": JSON(explanation.title),
            // Why it is never shown; `null` for an item that is not blocked.
            "blocked": blocked(explanation.block),
            "candidates": .list(
                explanation.candidates.map { candidate in
                    self.candidate(candidate, steps.last { $0.url == candidate.url })
                }),
            "resolvedAt": JSON(explanation.trace?.resolvedAt), "steps": .list(steps.map(step)),
            "levels": .list(explanation.levels.map { level($0, explanation.candidates) }),
        ]
    }

    private static func blocked(_ block: BlockRecord?) -> JSON {
        guard let block else { return .null }
        return [
            "target": .text(block.target), "reason": JSON(block.reason),
            "at": .date(block.changedAt),
        ]
    }

    /// - Parameter step: the last one of the last miss that asked for it.
    private static func candidate(_ candidate: Explanation.Candidate, _ step: Trace.Step?) -> JSON {
        let original = candidate.original
        let isStored = original?.digest != nil
        return [
            "label": .text(candidate.label), "host": JSON(URL(string: candidate.url)?.host),
            // `chosen`, `failed`, `remembered`, `stored`, or `untried`.
            "state": .text(step?.outcome.rawValue ?? (isStored ? "stored" : "untried")),
            // What happened, if something went wrong.
            "reason": JSON(original?.failure?.reason),
            // Of the original, if it is stored; else the size that the catalog names.
            "size": isStored
                ? size(original?.width, original?.height)
                : size(candidate.width, candidate.height),
            "bytes": JSON(isStored ? original?.byteCount : nil),
            "format": JSON(isStored ? original?.format : nil),
            // When the origin was asked last, and how long it took then.
            "askedAt": JSON(original?.fetchedAt), "milliseconds": JSON(candidate.milliseconds),
        ]
    }

    /// Returns a step of the last miss. It has no time if the answer was stored.
    private static func step(_ step: Trace.Step) -> JSON {
        [
            "label": .text(step.label),
            // `chosen`, `failed`, `remembered` or `followed`.
            "outcome": .text(step.outcome.rawValue), "note": .text(step.note),
            "milliseconds": JSON(step.milliseconds),
            // `planar`, `libvips` or both: what made thumbnails of the picture.
            "lanes": JSON(step.lanes),
        ]
    }

    private static func level(
        _ shown: Explanation.Shown, _ candidates: [Explanation.Candidate]
    ) -> JSON {
        let source = shown.resolution?.url.flatMap { url in candidates.first { $0.url == url } }
        return [
            "name": .text(shown.level.name),
            // That it was made from.
            "candidate": JSON(source?.label), "freshUntil": JSON(shown.resolution?.freshUntil),
            "failure": JSON(shown.failure?.kind.rawValue),
            "thumbnails": .list(
                shown.thumbnails.sorted { $0.key.format < $1.key.format }.map { thumbnail in
                    [
                        "format": .text(thumbnail.key.format),
                        "size": size(thumbnail.facts.width, thumbnail.facts.height),
                        "bytes": .integer(thumbnail.facts.byteCount),
                    ]
                }),
        ]
    }
}
