import Imaging
import Store

extension Trace {
    mutating func add(
        _ outcome: Step.Outcome, _ label: String, url: String? = nil, note: String,
        took: Duration? = nil, lanes: [Lane] = []
    ) {
        let used = Lane.allCases.filter(lanes.contains).map(\.rawValue)
        steps.append(
            Step(
                label: label, url: url, outcome: outcome, note: note,
                milliseconds: took.map { Int(($0 / .milliseconds(1)).rounded()) },
                lanes: used.isEmpty ? nil : used.joined(separator: ", ")))
    }

    /// Why the picture is not the first choice; nil if it is, or if there is none.
    var fallback: String? {
        guard fellBack else { return nil }
        return steps.first { $0.outcome == .failed || $0.outcome == .remembered }
            .map { "\($0.label): \($0.note)" }
    }
}
