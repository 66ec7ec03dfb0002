import Catalog
import Console
import FoundationEssentials
import Hashing
import Imaging
import Pipeline
import Store

/// Formats an explanation as a few plain lines, without control characters. All but URLs fit into 80
/// columns. Pure.
struct ExplanationText {
    let explanation: Explanation
    let now: Date

    var text: String {
        var parts = [heading, candidates, lookUp]
        parts.append(ReadableText.lines(["Levels"] + levels.lines.map { "  \($0)" }))
        return parts.joined(separator: "\n\n")
    }

    private var heading: String {
        let lines = [
            explanation.title.map { "\(explanation.item)  \($0)" } ?? "\(explanation.item)",
            explanation.block.map { block in
                "Blocked since \(block.changedAt.ISO8601Format()) as \(block.target)"
                    + (block.reason.map { ": \($0)" } ?? "")
            },
            explanation.catalogProblem.map { "Catalog: \($0)" },
        ]
        return ReadableText.lines(lines.compactMap(\.self))
    }

    private var candidates: String {
        if explanation.candidates.isEmpty { return "No candidates" }
        var lines = ["Candidates, in order of preference"]
        for (number, candidate) in explanation.candidates.enumerated() {
            lines.append(
                "  \(number + 1). \(candidate.label)\(size(candidate)): \(state(candidate))")
            let facts = [candidate.url] + stored(candidate) + failure(candidate.original?.failure)
            lines += facts.map { "     \($0)" }
        }
        return ReadableText.lines(lines)
    }

    private func size(_ candidate: Explanation.Candidate) -> String {
        guard let width = candidate.width, let height = candidate.height else { return "" }
        let size = " \(width)×\(height)"
        // If candidates differ only in size, their labels contain the size already.
        return candidate.label.hasSuffix(size) ? "" : size
    }

    private func state(_ candidate: Explanation.Candidate) -> String {
        switch explanation.trace?.steps.last(where: { $0.url == candidate.url })?.outcome {
        case .chosen: return "chosen"
        case .failed: return "failed"
        case .remembered: return "not asked, an earlier failure is remembered"
        case .followed, nil: break
        }
        guard let original = candidate.original else { return "not needed" }
        return original.digest != nil ? "stored" : "failed"
    }

    private func stored(_ candidate: Explanation.Candidate) -> [String] {
        guard let record = candidate.original, let digest = record.digest else { return [] }
        let facts = [
            "\(record.format) \(record.width)×\(record.height)",
            ReadableText.size(record.byteCount),
            candidate.milliseconds.map { "fetched in \($0) ms" },
            ReadableText.freshness(record.freshUntil, now: now),
        ]
        return [
            facts.compactMap(\.self).joined(separator: ", "),
            "sha256-\(digest.hex)",
        ]
    }

    private func failure(_ record: FailureRecord?) -> [String] {
        guard let record else { return [] }
        return ["\(record.kind): \(record.reason)", "\(remembered(record.until))"]
    }

    private var lookUp: String {
        guard let trace = explanation.trace else { return "Never requested" }
        let steps = trace.steps.map { step in
            let facts = [
                step.milliseconds.map { "\($0) ms" },
                step.lanes.map { "rendered in lane \($0)" },
                step.outcome == .remembered ? "remembered" : nil,
                step.outcome == .chosen ? "chosen" : nil,
            ].compactMap(\.self)
            // A note that is a sentence stands apart from what follows it.
            let note = step.note.hasSuffix(".") ? "\(step.note) " : "\(step.note), "
            let end = facts.joined(separator: ", ")
            return "  \(step.label): \(facts.isEmpty ? step.note : note + end)"
        }
        let when = ReadableText.past(trace.resolvedAt, now: now)
        return ReadableText.lines(["Last look-up, \(when)"] + steps)
    }

    /// A row for each thumbnail, and for each level without one.
    private var levels: TextTable {
        var table = TextTable(right: [1, 3, 4])
        for shown in explanation.levels {
            let level = [shown.level.name, "\(shown.level.width)×\(shown.level.height)"]
            let made = shown.thumbnails.sorted { $0.key.format < $1.key.format }
            guard let resolution = shown.resolution, resolution.original != nil, !made.isEmpty
            else {
                table.rows.append(level + [absence(shown)])
                continue
            }
            for (number, thumbnail) in made.enumerated() {
                table.rows.append(
                    (number == 0 ? level : ["", ""]) + [
                        thumbnail.key.format, "\(thumbnail.facts.width)×\(thumbnail.facts.height)",
                        ReadableText.size(thumbnail.facts.byteCount),
                        number == 0 ? ReadableText.freshness(resolution.freshUntil, now: now) : "",
                    ])
            }
        }
        return table
    }

    private func absence(_ shown: Explanation.Shown) -> String {
        guard let resolution = shown.resolution else { return "not made yet" }
        if resolution.original != nil { return "no thumbnail" }
        guard let failure = shown.failure else { return "placeholder" }
        return "placeholder: \(failure.kind.rawValue), \(remembered(failure.until))"
    }

    private func remembered(_ until: Date) -> String {
        let rest = until.timeIntervalSince(now)
        return rest > 0 ? "remembered for \(ReadableText.span(rest))" : "tried again when requested"
    }
}
