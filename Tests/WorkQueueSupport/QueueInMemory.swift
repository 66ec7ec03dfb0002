package import FoundationEssentials
import Synchronization

@testable package import WorkQueue

/// A queue in memory, for tests of what uses one. It keeps the contract of the servers' queue.
package final class QueueInMemory: WorkQueue {
    private struct Job {
        let job: QueueJob
        let number: Int
        let added: Date
        /// When it can be taken, or when its lease ends.
        var ready: Date
        var deliveries = 0
        var isLeased = false
    }

    private struct Handle: Sendable {
        let number: Int
        let delivery: Int
    }

    private struct State {
        var last = 0
        var jobs: [Int: Job] = [:]
        var seen: [String: Date] = [:]
        var dead: [DeadJob] = []
        var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let policy: QueuePolicy
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    private init(_ policy: QueuePolicy, _ now: @escaping @Sendable () -> Date) {
        self.policy = policy
        self.now = now
    }

    /// Returns a hub whose parts are all in memory.
    package static func hub(
        _ policy: QueuePolicy = QueuePolicy(), now: @escaping @Sendable () -> Date = { Date() }
    ) -> Hub {
        Hub(
            address: QueueAddress(servers: ["nats://memory"]), policy: policy,
            queue: QueueInMemory(policy, now),
            values: ValuesInMemory(life: policy.retention, now),
            live: ValuesInMemory(life: policy.life, now),
            blocks: ValuesInMemory(life: .seconds(100 * 365 * 86_400), now),
            purges: EventsInMemory(retention: policy.retention, now)
        ) {}
    }

    package func publish(_ job: QueueJob) async throws(QueueError) -> Bool {
        change { state, now in
            state.seen = state.seen.filter { $0.value > now }
            guard state.seen[job.id] == nil else { return false }
            state.seen[job.id] = now + policy.dedupe
            state.last += 1
            state.jobs[state.last] = Job(job: job, number: state.last, added: now, ready: now)
            return true
        }
    }

    package func fetch(_ request: QueueFetch, wait: Duration) async throws -> [Delivery] {
        let deadline = ContinuousClock.now + wait
        while true {
            try Task.checkCancellation()
            let (changes, waiter) = AsyncStream<Void>.makeStream()
            let (found, number) = take(request, waiter)
            defer { state.withLock { _ = $0.waiters.removeValue(forKey: number) } }
            if !found.isEmpty { return found }
            let left = deadline - .now
            guard left > .zero else { return [] }
            policy.idles()
            try await Self.next(of: changes, within: min(left, untilReady(request)))
        }
    }

    /// Returns after the next change, or when the time is over.
    private static func next(of changes: AsyncStream<Void>, within limit: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes { return } }
            group.addTask { try await Task.sleep(for: limit) }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Returns the time until a lease ends that the request may take then.
    private func untilReady(_ request: QueueFetch) -> Duration {
        let now = now()
        return state.withLock { state in
            state.jobs.values.filter { $0.job.route == request.route && $0.ready > now }
                .map { .seconds($0.ready.timeIntervalSince(now)) }.min() ?? .seconds(86_400)
        }
    }

    /// Leases the jobs that are ready, none in a canceled task. Returns the number of the waiter, too.
    private func take(
        _ request: QueueFetch, _ waiter: AsyncStream<Void>.Continuation
    ) -> ([Delivery], Int) {
        change { state, now in
            state.last += 1
            state.waiters[state.last] = waiter
            guard !Task.isCancelled else { return ([], state.last) }
            var found: [Delivery] = []
            for lane in QueueJob.Lane.allCases {
                let ready = state.jobs.values.filter {
                    $0.job.lane == lane && $0.job.route == request.route && $0.ready <= now
                        && !request.without.contains($0.job.origin)
                }.sorted { ($0.ready, $0.number) < ($1.ready, $1.number) }
                // Origins take turns.
                let origins = Dictionary(grouping: ready, by: \.job.origin)
                    .sorted { $0.key < $1.key }
                for turn in 0..<(origins.map(\.value.count).max() ?? 0) {
                    for (_, jobs) in origins
                    where turn < jobs.count && found.count < request.limit {
                        found.append(lease(jobs[turn].number, in: &state, now))
                    }
                }
            }
            return (found, state.last)
        }
    }

    private func lease(_ number: Int, in state: inout State, _ now: Date) -> Delivery {
        guard var leased = state.jobs[number] else { preconditionFailure("it was just found") }
        leased.deliveries += 1
        leased.isLeased = true
        leased.ready = now + policy.lease
        state.jobs[number] = leased
        return Delivery(
            lane: leased.job.lane, route: leased.job.route, origin: leased.job.origin,
            body: leased.job.body, count: leased.deliveries,
            handle: Handle(number: number, delivery: leased.deliveries))
    }

    package func extend(_ delivery: Delivery) async throws(QueueError) {
        of(delivery) { job, now in if job.isLeased { job.ready = now + policy.lease } }
    }

    package func finish(_ delivery: Delivery) async throws(QueueError) {
        change { state, _ in
            guard let handle = delivery.handle as? Handle else { return }
            state.jobs[handle.number] = nil
        }
    }

    package func retry(_ delivery: Delivery, after delay: Duration) async throws(QueueError) {
        of(delivery) { job, now in
            job.isLeased = false
            job.ready = now + delay
        }
    }

    package func bury(
        _ delivery: Delivery, reason: String, body: [UInt8]
    ) async throws(QueueError) {
        change { state, now in
            guard let handle = delivery.handle as? Handle else { return }
            state.jobs[handle.number] = nil
            state.dead.insert(
                DeadJob(
                    reason: reason, origin: delivery.origin, deliveries: delivery.count,
                    at: now.timeIntervalSince1970, body: body), at: 0)
        }
    }

    package func backlog() async throws(QueueError) -> Backlog {
        let now = now()
        return state.withLock { state in
            var backlog = Backlog()
            let parts = Dictionary(grouping: state.jobs.values) {
                [$0.job.lane.rawValue, $0.job.route, $0.job.origin]
            }
            backlog.parts = parts.sorted { $0.key.lexicographicallyPrecedes($1.key) }
                .compactMap { _, jobs in
                    guard let job = jobs.first?.job else { return nil }
                    let isNew = { (job: Job) in !job.isLeased && job.deliveries == 0 }
                    return Backlog.Part(
                        lane: job.lane, route: job.route, origin: job.origin,
                        waiting: jobs.count(where: isNew), leased: jobs.count { !isNew($0) },
                        redelivered: jobs.count { $0.deliveries > 1 })
                }
            backlog.oldest = state.jobs.values.map(\.added).min().map {
                max(0, now.timeIntervalSince($0))
            }
            backlog.dead = state.dead.count
            return backlog
        }
    }

    package func dead(limit: Int) async throws(QueueError) -> [DeadJob] {
        state.withLock { Array($0.dead.prefix(limit)) }
    }

    /// Changes a job unless it was delivered again since.
    private func of(_ delivery: Delivery, _ body: (inout Job, _ now: Date) -> Void) {
        change { state, now in
            guard let handle = delivery.handle as? Handle, var job = state.jobs[handle.number],
                job.deliveries == handle.delivery
            else { return }
            body(&job, now)
            state.jobs[handle.number] = job
        }
    }

    /// Changes the state, and wakes those that wait for that.
    private func change<Value>(_ body: (inout State, _ now: Date) -> Value) -> Value {
        let now = now()
        let (value, waiters) = state.withLock { state in
            let waiters = Array(state.waiters.values)
            return (body(&state, now), waiters)
        }
        for waiter in waiters { waiter.yield() }
        return value
    }
}

extension Date {
    static func + (date: Date, duration: Duration) -> Date {
        date.addingTimeInterval(duration / .seconds(1))
    }
}
