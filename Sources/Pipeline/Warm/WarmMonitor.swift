import Fetch
import Store
import Synchronization
import Threads

/// How far a run is: its items, what they wait for, and the transfers to each host. Any thread.
package final class WarmMonitor: Sendable {
    private struct State {
        var summary = WarmSummary()
        var begin: ContinuousClock.Instant?
        var items: WarmItems?
        /// Pictures that took room on the disk, and how much.
        var made: (pictures: Int, stored: DiskUsage) = (0, DiskUsage())
        var rate = RecentRate(window: WarmMonitor.window)
        /// Jobs in the queue, of all runs; nil without a queue.
        var backlog: Int?

        /// Since the begin.
        var seconds: Double { begin.map { (.now - $0) / .seconds(1) } ?? 0 }
    }

    /// Seconds of which ``WarmProgress/perSecond`` is the mean.
    private static let window = 10.0
    /// Seconds before which there is none.
    private static let leastSpan = 1.0

    package let request: WarmRequest
    /// Returns the load that a host may receive.
    private let policy: @Sendable (String) -> HostPolicy
    private let stages = WarmStages()
    private let state = Mutex(State())

    init(_ request: WarmRequest, policy: @escaping @Sendable (String) -> HostPolicy) {
        self.request = request
        self.policy = policy
    }

    package var snapshot: WarmProgress {
        let (summary, counts) = (summary, stages.counts)
        return state.withLock { state in
            var progress = WarmProgress()
            progress.summary = summary
            progress.total = state.items?.total
            (progress.listed, progress.waiting) = state.items?.listed ?? (0, 0)
            progress.waiting = state.backlog ?? progress.waiting
            progress.stages = counts.stages
            progress.hosts = counts.hosts
            guard state.begin != nil else { return progress }
            state.rate.add(state.summary.items, at: state.seconds)
            progress.perSecond =
                state.rate.span >= Self.leastSpan ? state.rate.perSecond : nil
            return progress
        }
    }

    /// The summary so far.
    package var summary: WarmSummary {
        var summary = state.withLock { state in
            var summary = state.summary
            summary.seconds = state.seconds
            summary.stalePages = state.items?.stalePages ?? summary.stalePages
            return summary
        }
        let counts = stages.counts
        summary.repeats.merge(counts.repeats) { $0 + $1 }
        if !counts.buckets.isEmpty { summary.buckets = counts.buckets }
        for (name, host) in counts.hosts {
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

    /// Counts the stages and transfers of `work`.
    func counting<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        try await WarmStages.$current.withValue(stages, operation: work)
    }

    /// Runs work of this run. Work that clients wait for goes first, wherever both are queued.
    func during<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        try await counting {
            try await Urgency.$current.withValue(Urgency(), operation: work)
        }
    }
}

/// How fast a count rises, as the mean of the last moments, so that it is calm. Pure.
package struct RecentRate: Sendable {
    private struct Sample {
        var seconds: Double
        var count: Int
    }

    /// Seconds after which the first rate is known.
    private static let least = 0.5

    /// Seconds that are looked back.
    private let window: Double
    private var samples: [Sample] = []
    private var last: Sample?

    /// - Parameter window: seconds.
    package init(window: Double) { self.window = window }

    /// Takes the count at a time. Times ascend.
    package mutating func add(_ count: Int, at seconds: Double) {
        let sample = Sample(seconds: seconds, count: count)
        last = sample
        if samples.last.map({ seconds - $0.seconds >= window / 100 }) ?? true {
            samples.append(sample)
        }
        // One that is older stays, so that there is always something to compare with.
        while samples.count > 2, seconds - samples[1].seconds > window { samples.removeFirst() }
    }

    /// Seconds from the first sample to the last, which the other values are of.
    package var span: Double { (last?.seconds ?? 0) - (samples.first?.seconds ?? 0) }

    /// How much the count rose meanwhile.
    package var rise: Int { (last?.count ?? 0) - (samples.first?.count ?? 0) }

    /// Nil in the first moment.
    package var perSecond: Double? {
        span >= Self.least ? Double(rise) / span : nil
    }
}
