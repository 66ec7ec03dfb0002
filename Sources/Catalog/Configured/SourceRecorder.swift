import Synchronization

/// Notes what a configured source reads from its answers, step by step, for `vitrine source test`.
package final class SourceRecorder: Sendable {
    package enum Step: Sendable, Equatable {
        case answered(url: String, status: Int, bytes: Int, document: String)
        case failed(url: String, reason: String)
        case found(name: String, place: String, value: String)
        case missed(name: String, place: String, reason: String)
        case note(String)
    }

    private let noted = Mutex<[Step]>([])

    package init() {}

    package var steps: [Step] { noted.withLock { $0 } }

    func add(_ step: Step) { noted.withLock { $0.append(step) } }
}
