import Fetch
import Memory
import Synchronization

/// Counts what one warm run does: the items in each stage, and the transfers to each host. Any thread.
///
/// The work of a run finds it as a task-local value. Work that another caller started isn't counted.
final class RunMeter: Sendable {
    @TaskLocal static var current: RunMeter?

    /// The stages of an item, in their order.
    enum Stage: String, Sendable, CaseIterable {
        case resolve, fetch, render, store
    }

    struct StageCount: Sendable {
        var inside = 0
        var done = 0
    }

    private struct State {
        var stages: [Stage: StageCount] = [:]
        var hosts: [String: HostTransfers] = [:]
        var repeats: [String: Int] = [:]
    }

    /// Hosts that are counted apart. A list of URLs may have any number.
    private static let maxHosts = 256
    /// Reasons of repeated requests that are counted apart.
    private static let maxReasons = 16

    private let state = Mutex(State())

    /// Runs work of this run. Work that clients wait for goes first, wherever both are queued.
    func during<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        try await Self.$current.withValue(self) {
            try await Urgency.$current.withValue(Urgency(), operation: work)
        }
    }

    /// An item in a stage.
    struct Mark: Sendable {
        fileprivate let meter: RunMeter
        fileprivate let stage: Stage

        func end() {
            meter.state.withLock { state in
                state.stages[stage]?.inside -= 1
                state.stages[stage]?.done += 1
            }
        }
    }

    /// Counts an item into a stage; nil outside of a run.
    static func begin(_ stage: Stage) -> Mark? {
        guard let current else { return nil }
        current.state.withLock { $0.stages[stage, default: StageCount()].inside += 1 }
        return Mark(meter: current, stage: stage)
    }

    func transferred(to host: String, _ attempts: [FetchAttempt], bytes: Int) {
        state.withLock { state in
            let isKnown = state.hosts[host] != nil || state.hosts.count < Self.maxHosts
            let name = isKnown ? host : HostNames.other
            state.hosts[name, default: HostTransfers()].add(attempts, bytes: bytes)
            for attempt in attempts.dropLast() {
                let reason = attempt.failure ?? attempt.status.map { "status \($0)" } ?? ""
                let isKnown = state.repeats[reason] != nil || state.repeats.count < Self.maxReasons
                state.repeats[isKnown ? reason : "other reasons", default: 0] += 1
            }
        }
    }

    var stages: [Stage: StageCount] { state.withLock { $0.stages } }
    var hosts: [String: HostTransfers] { state.withLock { $0.hosts } }
    /// How often requests were repeated, by the reason.
    var repeats: [String: Int] { state.withLock { $0.repeats } }
}

/// Transfers between this process and one host.
package struct HostTransfers: Sendable, Equatable, Codable {
    /// Attempts, redirects not included.
    package var requests = 0
    /// Sum of their durations.
    package var seconds = 0.0
    package var bytes = 0

    package init() {}

    mutating func add(_ attempts: [FetchAttempt], bytes: Int) {
        requests += attempts.count
        seconds += attempts.reduce(0) { $0 + $1.duration / .seconds(1) }
        self.bytes += bytes
    }

    /// Seconds that these transfers need at least under a policy.
    func seconds(under policy: HostPolicy) -> Double {
        let atOnce = seconds / Double(max(1, policy.maxConcurrent))
        guard let rate = policy.rate else { return atOnce }
        // The first window's requests start at once.
        return max(atOnce, Double(max(0, requests - rate.count)) / rate.perSecond)
    }
}
