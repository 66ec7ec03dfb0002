import Fetch
import Memory
import Store
import Synchronization

/// How far a run is: its items, what they wait for, and the transfers to each host. Any thread.
///
/// The work of a run finds it as a task-local value. Work that another caller started isn't counted.
package final class WarmMonitor: Sendable {
    @TaskLocal static var current: WarmMonitor?

    private struct State {
        var summary = WarmSummary()
        var begin: ContinuousClock.Instant?
        var items: WarmItems?
        /// Pictures that took room on the disk, and how much.
        var made: (pictures: Int, stored: DiskUsage) = (0, DiskUsage())
        var rate = RecentRate(window: WarmMonitor.window)
        /// Jobs in the queue, of all runs; nil without a queue.
        var backlog: Int?
        var stages = WarmStage.Name.allCases.map { WarmStage(name: $0) }
        var hosts: [String: HostTransfers] = [:]

        /// Since the begin.
        var seconds: Double { begin.map { (.now - $0) / .seconds(1) } ?? 0 }
    }

    /// Seconds of which ``WarmProgress/perSecond`` is the mean.
    private static let window = 10.0
    /// Seconds before which there is none.
    private static let leastSpan = 1.0
    /// Hosts that are counted apart. A list of URLs may have any number.
    private static let maxHosts = 256
    /// Reasons of repeated requests that are counted apart.
    private static let maxReasons = 16

    package let request: WarmRequest
    /// Returns the load that a host may receive.
    private let policy: @Sendable (String) -> HostPolicy
    private let state = Mutex(State())

    init(_ request: WarmRequest, policy: @escaping @Sendable (String) -> HostPolicy) {
        self.request = request
        self.policy = policy
    }

    package var snapshot: WarmProgress {
        let summary = summary
        return state.withLock { state in
            var progress = WarmProgress()
            progress.summary = summary
            progress.total = state.items?.total
            (progress.listed, progress.waiting) = state.items?.listed ?? (0, 0)
            progress.waiting = state.backlog ?? progress.waiting
            progress.stages = state.stages
            progress.hosts = state.hosts
            guard state.begin != nil else { return progress }
            state.rate.add(state.summary.items, at: state.seconds)
            progress.perSecond =
                state.rate.span >= Self.leastSpan ? state.rate.perSecond : nil
            return progress
        }
    }

    /// The summary so far.
    package var summary: WarmSummary {
        var (summary, hosts) = state.withLock { state in
            var summary = state.summary
            summary.seconds = state.seconds
            summary.stalePages = state.items?.stalePages ?? summary.stalePages
            return (summary, state.hosts)
        }
        for (name, host) in hosts {
            summary.requests += host.requests
            summary.networkSeconds = max(
                summary.networkSeconds, host.seconds(under: policy(name)))
        }
        return summary
    }

    // MARK: - Items

    func begin(_ items: WarmItems) {
        state.withLock { state in
            state.items = items
            state.begin = state.begin ?? .now
            state.rate.add(state.summary.items, at: state.seconds)
        }
    }

    /// Items that are known so far.
    var listed: Int { state.withLock { $0.items }?.listed.count ?? 0 }

    /// Pictures that took room on the disk, and how much.
    var made: (pictures: Int, stored: DiskUsage) { state.withLock { $0.made } }

    /// Changes the summary. The time, the requests and the pages of the list are told by themselves.
    func note(_ change: (inout WarmSummary) -> Void) { state.withLock { change(&$0.summary) } }

    func count(_ warmed: WarmedItem, _ result: MissResult?) {
        state.withLock { state in
            state.summary.count(warmed.ending, result)
            state.rate.add(state.summary.items, at: state.seconds)
            guard let result, result.stored.files > 0 else { return }
            state.made.pictures += 1
            state.made.stored += result.stored
        }
    }

    /// Takes what workers did so far, and the jobs that wait for them.
    package func show(_ summary: WarmSummary, backlog: Int) {
        state.withLock { state in
            state.summary = summary
            state.backlog = backlog
            state.rate.add(summary.items, at: state.seconds)
        }
        StateChange.tell()
    }

    // MARK: - Their stages and transfers

    /// Runs work of this run. Work that clients wait for goes first, wherever both are queued.
    func during<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        try await Self.$current.withValue(self) {
            try await Urgency.$current.withValue(Urgency(), operation: work)
        }
    }

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

    func transferred(to host: String, _ attempts: [FetchAttempt], bytes: Int) {
        state.withLock { state in
            let isKnown = state.hosts[host] != nil || state.hosts.count < Self.maxHosts
            let name = isKnown ? host : HostNames.other
            state.hosts[name, default: HostTransfers()].add(attempts, bytes: bytes)
            for attempt in attempts.dropLast() {
                let reason = attempt.failure ?? attempt.status.map { "status \($0)" } ?? ""
                let isKnown =
                    state.summary.repeats[reason] != nil
                    || state.summary.repeats.count < Self.maxReasons
                state.summary.repeats[isKnown ? reason : "other reasons", default: 0] += 1
            }
        }
    }
}

/// A moment of a run.
package struct WarmProgress: Sendable, Equatable {
    package var summary = WarmSummary()
    /// Items of the whole run, once all pages are read.
    package var total: Int?
    /// Items that are known so far, and those of them that did not begin yet; with a queue the jobs in it.
    package var listed = 0
    package var waiting = 0
    /// Items that ended in a second of the last moments; nil in the first one.
    package var perSecond: Double?
    package var stages: [WarmStage] = []
    /// By name.
    package var hosts: [String: HostTransfers] = [:]

    package init() {}
}

/// A stage of the items.
package struct WarmStage: Sendable, Equatable, Encodable {
    /// In the order of an item's way.
    package enum Name: String, Sendable, CaseIterable, Encodable {
        case resolve, fetch, render, store
    }

    package var name: Name
    /// Items that wait in it or are worked on.
    package var inside = 0
    package var done = 0

    package init(name: Name, inside: Int = 0, done: Int = 0) {
        self.name = name
        self.inside = inside
        self.done = done
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
