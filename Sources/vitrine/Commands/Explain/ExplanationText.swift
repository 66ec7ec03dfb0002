import Catalog
import FoundationEssentials
import Imaging
import Pipeline
import Store

/// Formats an explanation as a few plain lines. Pure.
struct ExplanationText {
    let explanation: Explanation
    let now: Date

    var text: String {
        var lines = [
            explanation.title.map { "\(explanation.item)  \($0)" } ?? "\(explanation.item)"
        ]
        if let problem = explanation.catalogProblem { lines.append("catalog: \(problem)") }
        lines.append(explanation.candidates.isEmpty ? "no candidates" : "candidates")
        for (number, candidate) in explanation.candidates.enumerated() {
            lines.append("  \(number + 1). \(candidate.label)\(size(candidate))  \(candidate.url)")
            lines.append("     \(state(candidate.original))")
        }
        if let trace = explanation.trace {
            lines.append("last miss, \(time(trace.resolvedAt))")
            lines += trace.steps.map { "  \($0.label): \($0.note)\(mark($0.outcome))" }
        } else {
            lines.append("never requested")
        }
        lines.append("levels")
        lines += explanation.levels.map { "  \(shown($0))" }
        return lines.joined(separator: "\n")
    }

    private func size(_ candidate: Explanation.Candidate) -> String {
        guard let width = candidate.width, let height = candidate.height else { return "" }
        let size = " \(width)×\(height)"
        // If candidates differ only in size, their labels contain the size already.
        return candidate.label.hasSuffix(size) ? "" : size
    }

    private func state(_ record: OriginalRecord?) -> String {
        guard let record else { return "not tried" }
        var parts: [String] = []
        if let digest = record.digest {
            parts.append(
                "stored: \(record.format) \(record.width)×\(record.height), "
                    + "\(kilobytes(record.byteCount)), sha256-\(digest.hex.prefix(12))…, "
                    + freshness(record.freshUntil))
        }
        if let failure = record.failure {
            parts.append("\(failure.kind): \(failure.reason) (\(remembered(failure.until)))")
        }
        return parts.isEmpty ? "not tried" : parts.joined(separator: "; ")
    }

    private func mark(_ outcome: Trace.Step.Outcome) -> String {
        switch outcome {
        case .chosen: " → chosen"
        case .failed, .followed: ""
        case .remembered: " (remembered)"
        }
    }

    private func shown(_ shown: Explanation.Shown) -> String {
        let name = "\(shown.level.name) \(shown.level.width)×\(shown.level.height)"
        guard let binding = shown.binding else { return "\(name): nothing yet" }
        if binding.original == nil {
            let reason = shown.failure.map { "\($0.kind.rawValue), \(remembered($0.until))" }
            return "\(name): placeholder (\(reason ?? "unknown reason"))"
        }
        let made = shown.thumbnails.sorted { $0.key.format < $1.key.format }.map {
            "\($0.key.format) \($0.width)×\($0.height) \(kilobytes($0.byteCount))"
        }
        let thumbnails = made.isEmpty ? "no thumbnail" : made.joined(separator: ", ")
        return "\(name): \(thumbnails); \(freshness(binding.freshUntil))"
    }

    private func freshness(_ until: Date) -> String {
        until > now ? "fresh until \(time(until))" : "stale since \(time(until))"
    }

    private func remembered(_ until: Date) -> String {
        until > now ? "remembered until \(time(until))" : "may be tried again"
    }

    private func time(_ date: Date) -> String { date.formatted(.iso8601) }

    private func kilobytes(_ bytes: Int) -> String {
        "\(ProgressReport.decimal(Double(bytes) / 1_000)) KB"
    }
}
