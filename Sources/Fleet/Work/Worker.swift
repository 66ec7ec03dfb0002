import Catalog
import FoundationEssentials
package import Logging
import Pipeline
import Synchronization
import Threads
package import WorkQueue

/// Takes jobs from the queue, makes their items, and confirms a job once the shared store has all of
/// them.
///
/// At least once: a job whose worker dies is delivered again when its lease ends. What is done
/// already is found in the store then.
package final class Worker: Sendable {
    /// How long one attempt to get a job waits.
    private static let wait = Duration.seconds(30)
    /// The pause after the queue could not be reached, or had nothing from origins that may have more.
    private static let pause = Duration.seconds(1)
    /// The time between two reports of progress.
    private static let reportInterval = Duration.seconds(1)

    private struct Held {
        var delivery: Delivery
        var begun: ContinuousClock.Instant
        var items: Int
        var task: Task<Void, Never>?
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var held: [UInt64: Held] = [:]
        var fetch: Task<[Delivery], any Error>?
        var isDraining = false
        var done = 0
        var failed = 0
        var progress: [String: RunProgress] = [:]
        var changed: Set<String> = []
        /// No job is taken before.
        var restsUntil: ContinuousClock.Instant?
        /// Why the worker ends before it is stopped.
        var fatal: Failure?

        var busy: Int { held.values.reduce(0) { $0 + $1.items } }
    }

    let hub: Hub
    let store: any FleetStore
    private let name: String
    let policy: WorkerPolicy
    let logger: Logger
    private let metrics: WorkerMetrics
    private let clock = ContinuousClock()
    private let state = Mutex(State())
    /// Wakes the loop that takes jobs.
    private let (changes, change) = AsyncStream<Void>.makeStream(
        bufferingPolicy: .bufferingNewest(1))

    /// - Parameter name: no other worker has it.
    package init(
        _ hub: Hub, _ store: any FleetStore, name: String, policy: WorkerPolicy, logger: Logger,
        metrics: WorkerMetrics = WorkerMetrics()
    ) {
        self.metrics = metrics
        self.hub = hub
        self.store = store
        self.name = name
        self.policy = policy
        self.logger = logger
    }

    /// What a worker does at a moment.
    package struct Load: Sendable, Equatable {
        package var busy = 0
        package var done = 0
        package var failed = 0
        package var isDraining = false
    }

    package var load: Load {
        state.withLock { state in
            Load(
                busy: state.busy, done: state.done, failed: state.failed,
                isDraining: state.isDraining)
        }
    }

    /// Works until ``drain()`` is called or the task is canceled. Then finishes its jobs for as long
    /// as the policy allows, and gives the rest back.
    ///
    /// - Throws: ``Failure`` if the store of this node can't be used.
    package func run() async throws {
        let upkeep = Task { [self] in await renew() }
        let reports = Task { [self] in
            while (try? await Task.sleep(for: Self.reportInterval)) != nil { await report() }
        }
        // Series that exist from the beginning show in rates what they count first.
        metrics.count(done: 0, failed: 0)
        await withTaskCancellationHandler {
            await take()
        } onCancel: {
            drain()
        }
        await finish()
        upkeep.cancel()
        reports.cancel()
        await upkeep.value
        await reports.value
        await report()
        if let fatal = state.withLock({ $0.fatal }) { throw fatal }
    }

    /// Takes no further jobs.
    package func drain() {
        let fetch = state.withLock { state in
            state.isDraining = true
            return state.fetch
        }
        fetch?.cancel()
        change.yield()
        StateChange.tell()
    }

    // MARK: - Taking

    private func take() async {
        var isReached = true
        while true {
            guard let request = await room() else { return }
            let queue = hub.queue
            // An origin that has enough of the places has room again before such a wait would end.
            let wait = request.without.isEmpty ? Self.wait : .zero
            let fetch = Task { () async throws -> [Delivery] in
                try await queue.fetch(request, wait: wait)
            }
            let isOver = state.withLock { state in
                state.fetch = fetch
                return state.isDraining
            }
            if isOver { fetch.cancel() }
            do {
                let found = try await fetch.value
                for delivery in found { begin(delivery) }
                isReached = true
                if found.isEmpty, wait == .zero { await changed(within: Self.pause) }
            } catch {
                if state.withLock({ $0.isDraining }) { return }
                if isReached {
                    logger.warning(
                        "the queue can't be read; trying again", metadata: ["reason": "\(error)"])
                }
                isReached = false
                try? await clock.sleep(for: Self.pause)
            }
        }
    }

    /// Waits until there is room for another job. Returns nil when the worker drains.
    private func room() async -> QueueFetch? {
        while true {
            let (isDraining, rest, wanted) = state.withLock { state in
                (state.isDraining, state.restsUntil, room(in: state))
            }
            if isDraining { return nil }
            if let rest, rest > clock.now {
                try? await clock.sleep(until: min(rest, clock.now + Self.pause))
                continue
            }
            if let wanted { return wanted }
            for await _ in changes { break }
        }
    }

    /// Waits until a job ends or the worker drains, at most this long.
    private func changed(within limit: Duration) async {
        let timer = Task { [clock, change] in
            if (try? await clock.sleep(for: limit)) != nil { change.yield() }
        }
        for await _ in changes { break }
        timer.cancel()
    }

    private func room(in state: State) -> QueueFetch? {
        let free = policy.places - state.busy
        guard free > 0 else { return nil }
        // Jobs of one origin never take all places, so that an origin that is slow, or asked
        // slowly, doesn't hold up the others.
        let most = max(1, policy.places - policy.places / 4)
        var origins: [String: Int] = [:]
        for held in state.held.values { origins[held.delivery.origin, default: 0] += held.items }
        return QueueFetch(
            route: store.recipe, limit: max(1, free / WarmJob.maxItems),
            without: Set(origins.filter { $0.value >= most }.keys))
    }

    private func begin(_ delivery: Delivery) {
        let job = WarmJob(json: delivery.body)
        let number = state.withLock { state in
            state.lastNumber += 1
            state.held[state.lastNumber] = Held(
                delivery: delivery, begun: clock.now, items: max(1, job?.items.count ?? 1))
            return state.lastNumber
        }
        let task = Task { [self] in
            await settle(delivery, job)
            state.withLock { _ = $0.held.removeValue(forKey: number) }
            change.yield()
            StateChange.tell()
        }
        state.withLock { $0.held[number]?.task = task }
    }

    /// Waits for the jobs under way, for as long as the policy allows.
    private func finish() async {
        let limit = Task { [self] in
            try await clock.sleep(for: policy.drainLimit)
            for held in state.withLock({ Array($0.held.values) }) { held.task?.cancel() }
        }
        while let task = state.withLock({ $0.held.values.first?.task }) { await task.value }
        limit.cancel()
    }

    /// Renews the leases of all jobs under way. Gives up those that take too long.
    private func renew() async {
        while (try? await clock.sleep(for: hub.policy.lease / 3)) != nil {
            for held in state.withLock({ Array($0.held.values) }) {
                if clock.now - held.begun >= policy.jobLimit { held.task?.cancel() }
                do throws(QueueError) {
                    try await hub.queue.extend(held.delivery)
                } catch {
                    logger.debug("a lease can't be renewed", metadata: ["reason": "\(error)"])
                }
            }
        }
    }

    // MARK: - One job

    /// Takes no job for that long, because the shared store is down. Returns false if the worker drains.
    func rests(for pause: Duration) -> Bool {
        let end = clock.now + pause
        return state.withLock { state in
            if state.isDraining { return false }
            state.restsUntil = max(state.restsUntil ?? end, end)
            return true
        }
    }

    private func settle(_ delivery: Delivery, _ job: WarmJob?) async {
        do {
            guard let job else {
                try await hub.queue.bury(
                    delivery, reason: "The job can't be read.", body: delivery.body)
                return metrics.count(.buried)
            }
            var progress = RunProgress()
            let failures: [ItemFailure]
            do throws(Failure) {
                failures = try await make(job, delivery, &progress)
            } catch {
                return try await giveBack(delivery, error)
            }
            try await settle(job, delivery, failures, progress)
        } catch {
            // The lease ends, and another worker finds what is done.
            logger.warning("a job can't be settled", metadata: ["reason": "\(error)"])
        }
    }

    private func settle(
        _ job: WarmJob, _ delivery: Delivery, _ failures: [ItemFailure], _ progress: RunProgress
    ) async throws(QueueError) {
        var progress = progress
        let verdict = policy.verdict(
            failures, delivery: delivery.count, random: .random(in: 0..<1))
        switch verdict {
        case .done:
            try await hub.queue.finish(delivery)
            metrics.count(.done)
        case .retry(let pause):
            try await hub.queue.retry(delivery, after: pause)
            metrics.count(.retried)
            // Items count when their job is settled; what they took counts now.
            progress.summary.items = 0
            progress.summary.placeholders = 0
            progress.summary.fallbacks = 0
            progress.summary.failed = 0
            progress.summary.retries = 1
        case .bury(let failures):
            let reason = failures.map { "\($0.item): \($0.reason)" }.joined(separator: "; ")
            let rest = WarmJob(items: failures.map(\.item), run: job.run)
            try await hub.queue.bury(delivery, reason: reason, body: try rest.body())
            metrics.count(.buried)
            progress.summary.dead = failures.count
            for failure in failures { progress.reasons[failure.item] = failure.reason }
            logger.notice(
                "items are given up",
                metadata: ["reason": "\(reason)", "deliveries": .stringConvertible(delivery.count)])
        }
        count(progress, job.run)
    }

    /// This node can't work, or the task was canceled: others take the job.
    private func giveBack(_ delivery: Delivery, _ failure: Failure) async throws(QueueError) {
        if failure.kind != .canceled {
            state.withLock { $0.fatal = $0.fatal ?? failure }
            drain()
        }
        try await hub.queue.retry(delivery, after: .zero)
        metrics.count(.returned)
    }

    // MARK: - Progress

    private func count(_ progress: RunProgress, _ run: String) {
        state.withLock { state in
            state.progress[run, default: RunProgress()].add(progress)
            state.changed.insert(run)
            state.done += progress.summary.items
            state.failed += progress.summary.failed
        }
        metrics.count(
            done: progress.summary.items - progress.summary.failed,
            failed: progress.summary.failed)
        StateChange.tell()
    }

    private func report() async {
        let changed = state.withLock { state in
            defer { state.changed = [] }
            return state.changed.compactMap { run in state.progress[run].map { (run, $0) } }
        }
        for (run, progress) in changed {
            do throws(QueueError) {
                try await progress.store(hub, run: run, worker: name)
            } catch {
                state.withLock { _ = $0.changed.insert(run) }
            }
        }
    }
}
