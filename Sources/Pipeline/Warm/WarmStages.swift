import Fetch
import Synchronization

/// What the items of a run wait for, and the transfers to each host. Any thread.
///
/// Each stage of the work finds it as a task-local value, and needs to know nothing else of the run. Work
/// that another caller started isn't counted.
final class WarmStages: Sendable {
    struct Counts: Sendable {
        var stages = WarmStage.Name.allCases.map { WarmStage(name: $0) }
        /// By name.
        var hosts: [String: HostTransfers] = [:]
        /// Repeated requests by the reason: `status 503`, or a sentence.
        var repeats: [String: Int] = [:]
        /// By the folders of the buckets.
        var buckets: [String: BucketUse] = [:]
    }

    /// Those of the run that the current work belongs to.
    @TaskLocal static var current: WarmStages?

    /// Hosts that are counted apart. A list of URLs may have any number.
    private static let maxHosts = 256
    /// Reasons of repeated requests that are counted apart.
    private static let maxReasons = 16

    private let state = Mutex(Counts())

    var counts: Counts { state.withLock { $0 } }

    /// Counts an item into a stage until the returned call; nil outside of a run.
    static func begin(_ name: WarmStage.Name) -> (@Sendable () -> Void)? {
        guard let current, let index = WarmStage.Name.allCases.firstIndex(of: name) else {
            return nil
        }
        current.state.withLock { $0.stages[index].inside += 1 }
        return {
            current.state.withLock { state in
                state.stages[index].inside -= 1
                state.stages[index].done += 1
            }
        }
    }

    func asked(bucket folder: String, _ operation: BucketUse.Operation, _ times: Int, bytes: Int) {
        state.withLock { $0.buckets[folder, default: BucketUse()].add(operation, times, bytes) }
    }

    func transferred(to host: String, _ attempts: [FetchAttempt], bytes: Int) {
        state.withLock { state in
            let isKnown = state.hosts[host] != nil || state.hosts.count < Self.maxHosts
            let name = isKnown ? host : HostNames.other
            state.hosts[name, default: HostTransfers()].add(attempts, bytes: bytes)
            for attempt in attempts.dropLast() {
                let reason = attempt.failure ?? attempt.status.map { "status \($0)" } ?? ""
                let isKnown =
                    state.repeats[reason] != nil || state.repeats.count < Self.maxReasons
                state.repeats[isKnown ? reason : "other reasons", default: 0] += 1
            }
        }
    }
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
