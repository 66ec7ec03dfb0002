import Synchronization

/// Counts failures of one part of the store and reports each kind at most once a minute.
final class StoreReporter: Sendable {
    private static let interval = Duration.seconds(60)

    private struct State {
        var status = StoreStatus()
        var last: [Int: ContinuousClock.Instant] = [:]
        /// Whether the current trouble was reported, so that its end is reported too.
        var wasReported = false
    }

    private let report: @Sendable (StoreEvent) -> Void
    private let state = Mutex(State())

    init(_ policy: StorePolicy) { report = policy.report }

    var status: StoreStatus { state.withLock { $0.status } }

    func note(_ event: StoreEvent) {
        let isNews = state.withLock { state in
            switch event {
            case .behind(let error), .partlyBehind(let error):
                state.status.failedWrites += 1
                state.status.trouble = error
            case .caughtUp:
                state.status.trouble = nil
                defer { state.wasReported = false }
                return state.wasReported
            case .dropped, .damaged, .salvaged, .moved, .crowded, .roomy, .removed: break
            case .unwritten, .unremoved: state.status.failedWrites += 1
            case .setAside: state.status.setAside += 1
            case .unreadable: state.status.failedReads += 1
            }
            let now = ContinuousClock.now
            if let last = state.last[event.kind], last.duration(to: now) < Self.interval {
                return false
            }
            state.last[event.kind] = now
            switch event {
            case .behind, .partlyBehind: state.wasReported = true
            default: break
            }
            return true
        }
        if isNews { report(event) }
    }
}
