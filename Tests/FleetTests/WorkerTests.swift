import Catalog
import Logging
import Pipeline
import TestSupport
import Testing
import WorkQueueSupport

@testable import Fleet
@testable import WorkQueue

@Suite(.timeLimit(.minutes(1))) struct WorkerTests {
    /// A queue in memory, a store that a test plays, and as many workers as it starts.
    private final class Bed: Sendable {
        let hub = QueueInMemory.hub()
        let store = PlayedStore()

        func worker(_ name: String = "w", _ adjust: (inout WorkerPolicy) -> Void = { _ in })
            -> Worker
        {
            var policy = WorkerPolicy()
            policy.retryAfter = .milliseconds(1)
            adjust(&policy)
            return Worker(
                hub, store, name: name, policy: policy,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }

        func publish(_ ids: [Int], run: String = "run") async throws {
            let items = ids.map { "tvmaze/show/\($0)" }
            let job = WarmJob(items: items, run: run)
            _ = try await hub.queue.publish(
                job.queued(recipe: store.recipe, origin: "tvmaze", lane: .low, generation: ""))
        }

        /// Runs a worker until the queue is as `isDone` says.
        func run(
            _ worker: Worker, until isDone: @escaping @Sendable (Backlog) -> Bool
        ) async throws {
            let running = Task { try await worker.run() }
            try await eventually { try await isDone(hub.queue.backlog()) }
            worker.drain()
            try await running.value
        }
    }

    private static func with(_ body: (Bed) async throws -> Void) async throws {
        let bed = Bed()
        try await body(bed)
        await bed.hub.close()
    }

    @Test func `a job is confirmed once the store has all its items, and counts for its run`()
        async throws
    {
        try await Self.with { bed in
            try await bed.publish(Array(1...16))
            try await bed.publish([17], run: "other")
            let gate = Gate()
            bed.store.play("tvmaze/show/16", .waits(gate))
            let worker = bed.worker { $0.places = 64 }
            let running = Task { try await worker.run() }
            await eventually { bed.store.names.count == 16 }
            // Fifteen of its items are stored, and it is not confirmed.
            #expect(try await bed.hub.queue.backlog().count >= 1)
            gate.open()
            try await eventually { try await bed.hub.queue.backlog().count == 0 }
            worker.drain()
            try await running.value
            #expect(try await RunProgress.of("run", bed.hub).summary.items == 16)
            #expect(try await RunProgress.of("other", bed.hub).summary.items == 1)
            #expect(worker.load.done == 17)
        }
    }

    @Test func `an origin with its share of the places gets more when one of its jobs ends`()
        async throws
    {
        try await Self.with { bed in
            for job in 0..<8 { try await bed.publish(Array(job * 16..<job * 16 + 16)) }
            // A job is more than three quarters of the places, and leaves room for other origins.
            try await bed.run(bed.worker { $0.places = 20 }) { $0.count == 0 }
            #expect(bed.store.names.count == 128)
        }
    }

    @Test func `an origin that is down is asked again, until it answers`() async throws {
        try await Self.with { bed in
            try await bed.publish([1, 2])
            bed.store.play("tvmaze/show/2", .fails(Failure(.unavailable, "503", retryAfter: 0)))
            let worker = bed.worker { $0.maxDeliveries = 1_000_000 }
            let running = Task { try await worker.run() }
            // The fourth has begun, so three have failed.
            await eventually { bed.store.counts["tvmaze/show/2"] ?? 0 >= 4 }
            bed.store.play("tvmaze/show/2", .works)
            try await eventually { try await bed.hub.queue.backlog().count == 0 }
            worker.drain()
            try await running.value
            let progress = try await RunProgress.of("run", bed.hub)
            #expect(progress.summary.items == 2)
            #expect(progress.summary.failed == 0)
            #expect(progress.summary.retries ?? 0 >= 3)
            #expect(try await bed.hub.queue.backlog().dead == 0)
        }
    }

    @Test func `items that fail for good are given up with their reasons, the others are done`()
        async throws
    {
        try await Self.with { bed in
            try await bed.publish([1, 2, 3, 4])
            bed.store.play("tvmaze/show/2", .fails(Failure(.refused, "a forbidden host")))
            bed.store.play("tvmaze/show/3", .fails(Failure(.absent, "no picture")))
            try await bed.run(bed.worker()) { $0.dead == 1 }
            let dead = try await bed.hub.queue.dead(limit: 9)
            #expect(dead.map(\.reason) == ["tvmaze/show/2: a forbidden host"])
            #expect(dead.map(\.deliveries) == [1])
            #expect(dead.map { WarmJob(json: $0.body)?.items } == [["tvmaze/show/2"]])
            let progress = try await RunProgress.of("run", bed.hub)
            #expect(progress.summary.items == 4)
            #expect(progress.summary.placeholders == 1)
            #expect(progress.summary.dead == 1)
            #expect(progress.reasons == ["tvmaze/show/2": "a forbidden host"])
        }
    }

    @Test func `an item that fails every time is given up after so many deliveries`() async throws {
        try await Self.with { bed in
            try await bed.publish([1])
            bed.store.play("tvmaze/show/1", .fails(Failure(.timedOut, "too slow")))
            try await bed.run(bed.worker { $0.maxDeliveries = 3 }) { $0.dead == 1 }
            #expect(bed.store.counts == ["tvmaze/show/1": 3])
            #expect(try await bed.hub.queue.dead(limit: 1).map(\.deliveries) == [3])
        }
    }

    @Test func `a shared store that is down costs no item its attempts`() async throws {
        try await Self.with { bed in
            try await bed.publish([1])
            bed.store.all(.isDown)
            let worker = bed.worker { $0.maxDeliveries = 1 }
            let running = Task { try await worker.run() }
            await eventually { bed.store.counts["tvmaze/show/1"] ?? 0 >= 2 }
            bed.store.all(.works)
            try await eventually { try await bed.hub.queue.backlog().count == 0 }
            worker.drain()
            try await running.value
            #expect(bed.store.names == ["tvmaze/show/1"])
            #expect(try await bed.hub.queue.backlog().dead == 0)
        }
    }

    @Test func `an item during which workers died is given up, and the others are made`()
        async throws
    {
        try await Self.with { bed in
            try await bed.publish([1, 2, 3])
            let all = QueueFetch(route: bed.store.recipe, limit: 9)
            // Two deliveries end without a word. In the third a worker marks an item and dies.
            for _ in 1...3 {
                let taken = try await bed.hub.queue.fetch(all, wait: .seconds(30))
                try await bed.hub.queue.retry(try #require(taken.first), after: .zero)
            }
            try await bed.hub.values.set(
                "suspect.\(WarmJob.hex("tvmaze/show/2"))", Array("3".utf8))
            try await bed.run(bed.worker()) { $0.dead == 1 }
            #expect(bed.store.names == ["tvmaze/show/1", "tvmaze/show/3"])
            let reason = try #require(try await bed.hub.queue.dead(limit: 1).first?.reason)
            #expect(reason.contains("tvmaze/show/2: Workers ended while they made it."))
        }
    }

    @Test func `a worker that ends finishes what it has and takes no more`() async throws {
        try await Self.with { bed in
            let gate = Gate()
            try await bed.publish([1])
            bed.store.play("tvmaze/show/1", .waits(gate))
            let worker = bed.worker()
            let running = Task { try await worker.run() }
            await eventually { bed.store.counts["tvmaze/show/1"] == 1 }
            worker.drain()
            try await bed.publish([2])
            gate.open()
            try await running.value
            #expect(bed.store.names == ["tvmaze/show/1"])
            #expect(try await bed.hub.queue.backlog().waiting == 1)
        }
    }

    @Test func `what a worker can't finish in time is given back at once`() async throws {
        try await Self.with { bed in
            try await bed.publish([1])
            bed.store.play("tvmaze/show/1", .waits(Gate()))
            let worker = bed.worker { $0.drainLimit = .milliseconds(1) }
            let running = Task { try await worker.run() }
            await eventually { bed.store.counts["tvmaze/show/1"] == 1 }
            worker.drain()
            try await running.value
            bed.store.play("tvmaze/show/1", .works)
            // Long before the lease of the first worker ends.
            try await bed.run(bed.worker("other")) { $0.count == 0 }
            #expect(bed.store.names == ["tvmaze/show/1"])
        }
    }
}
