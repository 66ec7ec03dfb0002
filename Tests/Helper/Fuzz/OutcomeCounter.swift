import Imaging

/// Counts inputs by outcome.
struct OutcomeCounter {
    private(set) var counts: [String: Int] = [:]

    mutating func add(_ outcome: String) {
        counts[outcome, default: 0] += 1
    }

    /// Returns the name under which an error is counted.
    static func kind(_ error: ImagingError) -> String {
        switch error {
        case .notAnImage: "not an image"
        case .unsupported: "unsupported"
        case .broken: "broken"
        case .overLimit: "over a limit"
        case .overloaded: "overloaded"
        case .canceled: "canceled"
        case .stopped: "stopped"
        case .crashed: "crashed a child"
        case .tooSlow: "too slow"
        case .quarantined: "quarantined"
        case .misconfigured: "misconfigured"
        }
    }

    var description: String {
        counts.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
    }
}
