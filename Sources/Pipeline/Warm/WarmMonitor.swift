import Fetch
import Store
import Synchronization

/// The state of one warm run, for displays. Any thread.
package final class WarmMonitor: Sendable {
    private struct State {
        var summary = WarmSummary()
        var begin: ContinuousClock.Instant?
        var items: WarmItems?
        /// Pictures that took room on the disk, and how much.
        var made: (pictures: Int, stored: DiskUsage) = (0, DiskUsage())
        var rate = RecentRate(window: WarmMonitor.window)

        /// Since the begin.
        var seconds: Double { begin.map { (.now - $0) / .seconds(1) } ?? 0 }
    }

    /// Seconds of which ``Snapshot/perSecond`` is the mean.
    private static let window = 10.0
    /// Seconds before which there is none.
    private static let leastSpan = 1.0

    let meter = RunMeter()
    /// Returns the load that a host may receive.
    private let policy: @Sendable (String) -> HostPolicy
    private let state = Mutex(State())

    init(policy: @escaping @Sendable (String) -> HostPolicy) { self.policy = policy }

    /// A moment of a run.
    package struct Snapshot: Sendable, Equatable {
        package var summary = WarmSummary()
        /// Items of the whole run, once all pages are read.
        package var total: Int?
        /// Items that are known so far, and those of them that did not begin yet.
        package var listed = 0
        package var waiting = 0
        /// Items that ended in a second of the last moments; nil in the first one.
        package var perSecond: Double?
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
        snapshot.perSecond = state.withLock { state in
            guard state.begin != nil else { return nil }
            state.rate.add(state.summary.items, at: state.seconds)
            return state.rate.span >= Self.leastSpan ? state.rate.perSecond : nil
        }
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
        let (hosts, repeats) = (meter.hosts, meter.repeats)
        let network = hosts.reduce(0) { slowest, host in
            max(slowest, host.value.seconds(under: policy(host.key)))
        }
        return state.withLock { state in
            var summary = state.summary
            summary.requests = hosts.values.reduce(0) { $0 + $1.requests }
            summary.networkSeconds = network
            summary.repeats = repeats
            summary.seconds = state.seconds
            summary.stalePages = state.items?.stalePages ?? summary.stalePages
            return summary
        }
    }

    func read(_ items: WarmItems) { state.withLock { $0.items = items } }

    /// Items that are known so far.
    var listed: Int { state.withLock { $0.items }?.listed.count ?? 0 }

    /// Pictures that took room on the disk, and how much.
    var made: (pictures: Int, stored: DiskUsage) { state.withLock { $0.made } }

    func note(_ shortage: WarmShortage) { state.withLock { $0.summary.shortage = shortage } }

    /// - Parameter begun: number of items. The others of the list are left.
    func ended(evicted: Int, begun: Int) {
        let left = max(0, listed - begun)
        state.withLock { state in
            state.summary.evicted = evicted
            state.summary.left = left
        }
    }

    func begin() {
        state.withLock { state in
            state.begin = state.begin ?? .now
            state.rate.add(state.summary.items, at: state.seconds)
        }
    }

    func count(_ warmed: WarmedItem, _ result: MissResult?) {
        state.withLock { state in
            state.summary.count(warmed, result)
            state.rate.add(state.summary.items, at: state.seconds)
            guard let result, result.stored.files > 0 else { return }
            state.made.pictures += 1
            state.made.stored += result.stored
        }
    }
}
