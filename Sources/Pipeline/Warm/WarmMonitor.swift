import Fetch
import Synchronization

/// The state of one warm run, for displays. Any thread.
package final class WarmMonitor: Sendable {
    private struct State {
        var summary = WarmSummary()
        var begin: ContinuousClock.Instant?
        var items: WarmItems?
    }

    let meter: RunMeter
    /// Returns the load that a host may receive.
    private let policy: @Sendable (String) -> HostPolicy
    private let state = Mutex(State())

    /// - Parameter yields: whether clients' renders go before those of the run.
    init(yields: Bool, policy: @escaping @Sendable (String) -> HostPolicy) {
        meter = RunMeter(yields: yields)
        self.policy = policy
    }

    /// A moment of a run.
    package struct Snapshot: Sendable, Equatable {
        package var summary = WarmSummary()
        /// Items of the whole run, once all pages are read.
        package var total: Int?
        /// Items that are known so far, and those of them that did not begin yet.
        package var listed = 0
        package var waiting = 0
        package var stages: [Stage] = []
        /// By name.
        package var hosts: [String: HostTransfers] = [:]

        package init() {}
    }

    /// A stage of the items.
    package struct Stage: Sendable, Equatable {
        /// `resolve`, `fetch`, `render` or `store`.
        package var name: String
        /// Items that wait in it or are worked on.
        package var inside: Int
        package var done: Int

        package init(name: String, inside: Int, done: Int) {
            self.name = name
            self.inside = inside
            self.done = done
        }
    }

    package var snapshot: Snapshot {
        let items = state.withLock { $0.items }
        var snapshot = Snapshot()
        snapshot.summary = summary
        snapshot.total = items?.total
        (snapshot.listed, snapshot.waiting) = items?.listed ?? (0, 0)
        let counts = meter.stages
        snapshot.stages = RunMeter.Stage.allCases.map { stage in
            let count = counts[stage] ?? .init()
            return Stage(name: stage.rawValue, inside: count.inside, done: count.done)
        }
        snapshot.hosts = meter.hosts
        return snapshot
    }

    /// The summary so far.
    package var summary: WarmSummary {
        let hosts = meter.hosts
        let network = hosts.reduce(0) { slowest, host in
            max(slowest, host.value.seconds(under: policy(host.key)))
        }
        return state.withLock { state in
            var summary = state.summary
            summary.requests = hosts.values.reduce(0) { $0 + $1.requests }
            summary.networkSeconds = network
            if let begin = state.begin { summary.seconds = (.now - begin) / .seconds(1) }
            summary.stalePages = state.items?.stalePages ?? summary.stalePages
            return summary
        }
    }

    func read(_ items: WarmItems) { state.withLock { $0.items = items } }

    func begin() { state.withLock { $0.begin = $0.begin ?? .now } }

    func count(_ warmed: WarmedItem, _ result: MissResult?) {
        state.withLock { $0.summary.count(warmed, result) }
    }
}
