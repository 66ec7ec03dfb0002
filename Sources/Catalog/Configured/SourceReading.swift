/// What a configured source read from its answers, step by step, for `vitrine source test`.
package struct SourceReading: Sendable {
    package enum Step: Sendable, Equatable {
        case answered(url: String, status: Int, bytes: Int, document: String)
        case failed(url: String, reason: String)
        case found(name: String, place: String, value: String)
        case missed(name: String, place: String, reason: String)
        case note(String)
    }

    package private(set) var steps: [Step] = []
    /// Requests for items and pages keep no record.
    private let isKept: Bool

    package init(isKept: Bool = true) { self.isKept = isKept }

    mutating func add(_ step: @autoclosure () -> Step) {
        if isKept { steps.append(step()) }
    }
}
