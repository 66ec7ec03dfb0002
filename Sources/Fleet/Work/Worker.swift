import Catalog
import FoundationEssentials
package import Logging
import Memory
import Pipeline
import Synchronization
package import WorkQueue

/// Takes jobs from the queue, makes their items, and confirms a job once the shared store has all of
/// them.
///
/// At least once: a job whose worker dies is delivered again when its lease ends. What is done
/// already is found in the store then.
package final class Worker: Sendable {
    /// How long one attempt to get a job waits.
    private static let wait = Duration.seconds(30)
    /// The pause after the queue could not be reached.
    private static let pause = Duration.seconds(1)
    /// Seconds between two attempts to store an item, at most.
    private static let maxRest = 10
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
        /// Why the worker can't go on.
        var fatal: Failure?

        var busy: Int { held.values.reduce(0) { $0 + $1.items } }
    }

    private let hub: Hub
    private let store: any FleetStore
    private let name: String
    private let policy: WorkerPolicy
    private let logger: Logger
    private let clock = ContinuousClock()
    private let state = Mutex(State())
    /// Wakes the loop that takes jobs.
    private let (changes, change) = AsyncStream<Void>.makeStream(
        bufferingPolicy: .bufferingNewest(1))

    /// - Parameter name: no other worker has it.
    package init(
        _ hub: Hub, _ store: any FleetStore, name: String, policy: WorkerPolicy, logger: Logger
    ) {
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
            let fetch = Task { () async throws -> [Delivery] in
                try await queue.fetch(request, wait: Self.wait)
            }
            let isOver = state.withLock { state in
                state.fetch = fetch
                return state.isDraining
            }
            if isOver { fetch.cancel() }
            do {
                for delivery in try await fetch.value { begin(delivery) }
                isReached = true
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
        let job = WarmJob(delivery.body)
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

    private func settle(_ delivery: Delivery, _ job: WarmJob?) async {
        do {
            guard let job else {
                return try await hub.queue.bury(
                    delivery, reason: "The job can't be read.", body: delivery.body)
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
        case .done: try await hub.queue.finish(delivery)
        case .retry(let pause):
            try await hub.queue.retry(delivery, after: pause)
            // Items count when their job is settled; what they took counts now.
            progress.summary.items = 0
            progress.summary.placeholders = 0
            progress.summary.fallbacks = 0
            progress.summary.failed = 0
            progress.problems = []
            progress.retries = 1
        case .bury(let failures):
            let reason = failures.map { "\($0.item): \($0.reason)" }.joined(separator: "; ")
            let rest = WarmJob(items: failures.map(\.item), run: job.run)
            try await hub.queue.bury(delivery, reason: reason, body: rest.body)
            progress.dead = failures.count
            logger.notice(
                "items are given up",
                metadata: ["reason": "\(reason)", "deliveries": "\(delivery.count)"])
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
    }

    /// What became of one item.
    private struct Made: Sendable {
        var summary = WarmSummary()
        /// Why it has not its first choice; nil if it has.
        var problem: String?
        var failure: ItemFailure?
    }

    /// Makes the items of a job. Returns those that failed.
    private func make(
        _ job: WarmJob, _ delivery: Delivery, _ progress: inout RunProgress
    ) async throws(Failure) -> [ItemFailure] {
        let isSuspect = delivery.count >= policy.suspectFrom
        let outcomes = await withTaskGroup(of: Result<Made, Failure>.self) { group in
            var outcomes: [Result<Made, Failure>] = []
            for name in job.items {
                // Suspects one by one, so that the one that ends a worker is known.
                if isSuspect, let outcome = await group.next() { outcomes.append(outcome) }
                group.addTask { [self] in
                    do throws(Failure) {
                        return .success(try await make(name, delivery, isSuspect: isSuspect))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        var failures: [ItemFailure] = []
        for outcome in outcomes {
            let made = try outcome.get()
            progress.summary.add(made.summary)
            if let failure = made.failure { failures.append(failure) }
            if let problem = made.problem, progress.problems.count < RunProgress.maxProblems {
                progress.problems.append(problem)
            }
        }
        return failures
    }

    private func make(
        _ name: String, _ delivery: Delivery, isSuspect: Bool
    ) async throws(Failure) -> Made {
        guard let item = Item(name) else {
            return Self.failed(
                ItemFailure(item: name, reason: "This is not an item.", isFinal: true))
        }
        let mark = "suspect.\(WarmJob.hex(name))"
        if isSuspect, await isMarked(mark, before: delivery.count) {
            let reason = "Workers ended while they made it."
            return Self.failed(ItemFailure(item: name, reason: reason, isFinal: true))
        }
        do throws(Failure) {
            let published = try await publish(item)
            if isSuspect { await unmark(mark) }
            let (summary, reason) = published.counted(item)
            var made = Made(summary: summary, problem: reason.map { "\(item.shown): \($0)" })
            if case .unavailable(let failure) = published.ending {
                made.failure = ItemFailure(item: name, failure)
            }
            return made
        } catch {
            if isSuspect { await unmark(mark) }
            switch error.kind {
            case .canceled, .diskFull: throw error
            case .storeUnusable where error.retryAfter == nil: throw error
            default: break
            }
            return Self.failed(ItemFailure(item: name, error))
        }
    }

    /// Makes an item. While the shared store is down it keeps its place, and no job is taken; another
    /// worker would only fetch the same again. A worker that drains gives the item back instead.
    private func publish(_ item: Item) async throws(Failure) -> PublishedItem {
        while true {
            do throws(Failure) {
                return try await store.publish(item, again: false)
            } catch {
                guard error.kind == .storeUnusable, let seconds = error.retryAfter,
                    !state.withLock({ $0.isDraining })
                else { throw error }
                let pause = Duration.seconds(min(max(1, seconds), Self.maxRest))
                let end = clock.now + pause
                state.withLock { $0.restsUntil = max($0.restsUntil ?? end, end) }
                do { try await clock.sleep(for: pause) } catch {
                    throw Failure(.canceled, "The worker ends.")
                }
            }
        }
    }

    private static func failed(_ failure: ItemFailure) -> Made {
        var made = Made(problem: "\(failure.item): \(failure.reason)", failure: failure)
        made.summary.items = 1
        made.summary.failed = 1
        return made
    }

    /// Returns whether a worker died while it made this item, and marks it for the case that this
    /// one does.
    private func isMarked(_ key: String, before delivery: Int) async -> Bool {
        do throws(QueueError) {
            if let known = try await hub.values.value(key),
                let count = Int(String(decoding: known.bytes, as: UTF8.self)), count < delivery
            {
                return true
            }
            try await hub.values.set(key, Array("\(delivery)".utf8))
        } catch {
            logger.debug("an item can't be marked", metadata: ["reason": "\(error)"])
        }
        return false
    }

    private func unmark(_ key: String) async {
        do throws(QueueError) {
            try await hub.values.remove(key)
        } catch {
            logger.debug("an item can't be unmarked", metadata: ["reason": "\(error)"])
        }
    }

    // MARK: - Progress

    private func count(_ progress: RunProgress, _ run: String) {
        state.withLock { state in
            state.progress[run, default: RunProgress()].add(progress)
            let kept = state.progress[run]?.problems.prefix(RunProgress.maxProblems) ?? []
            state.progress[run]?.problems = Array(kept)
            state.changed.insert(run)
            state.done += progress.summary.items
            state.failed += progress.summary.failed
        }
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
