import Catalog
import Logging
import Pipeline
import PipelineSupport
import TestSupport
import Testing
import WorkQueueSupport

@testable import Fleet
@testable import WorkQueue

@Suite(.timeLimit(.minutes(1))) struct FleetRunTests {
    private static func with(
        _ body: (Harness, Hub, PlayedStore, Worker) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            let hub = QueueInMemory.hub()
            let store = PlayedStore()
            var policy = WorkerPolicy()
            policy.retryAfter = .milliseconds(1)
            policy.maxDeliveries = 2
            let worker = Worker(
                hub, store, name: "w", policy: policy,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            try await body(harness, hub, store, worker)
            await hub.close()
        }
    }

    private static func request(_ harness: Harness, _ ids: ClosedRange<Int>) -> WarmRequest {
        var request = WarmRequest(
            .items(ids.map { harness.item($0) }), renditions: [], concurrency: 1)
        request.name = "shows"
        return request
    }

    @Test func `a run is done when the store lacks nothing, though a job was lost`() async throws {
        try await Self.with { harness, hub, store, worker in
            // A job whose items were never stored, and one that a worker confirmed all the same.
            store.play("tvmaze/show/3", .isLost)
            let run = FleetRun(
                hub, harness.pipeline.warm, store, Self.request(harness, 1...40), .init())
            try await run.queue()
            #expect(try await hub.queue.backlog().waiting == 3)
            let running = Task { try await worker.run() }
            await eventually { store.names.count == 39 }
            store.play("tvmaze/show/3", .works)
            let result = try await run.wait()
            worker.drain()
            try await running.value
            #expect(result.missing == 0)
            #expect(result.listed == 40)
            #expect(store.names.count == 40)
            #expect(store.counts["tvmaze/show/3"] == 2)
        }
    }

    @Test func `a run ends though an item can't be had, and names it`() async throws {
        try await Self.with { harness, hub, store, worker in
            store.play("tvmaze/show/2", .fails(Failure(.timedOut, "too slow")))
            let run = FleetRun(
                hub, harness.pipeline.warm, store, Self.request(harness, 1...3), .init())
            try await run.queue()
            let running = Task { try await worker.run() }
            let result = try await run.wait()
            worker.drain()
            try await running.value
            #expect(result.missing == 1)
            #expect(result.named == ["tvmaze/show/2"])
            #expect(result.progress.dead >= 1)
        }
    }

    @Test func `an interrupted run continues where it stopped`() async throws {
        try await Self.with { harness, hub, store, _ in
            let first = FleetRun(
                hub, harness.pipeline.warm, store, Self.request(harness, 1...64), .init())
            let cursor = #"{"generation":0,"queued":32,"isDone":false}"#
            try await hub.values.set("run.\(first.id)", Array(cursor.utf8))
            try await first.queue()
            #expect(try await hub.queue.backlog().waiting == 2)
            #expect(first.snapshot.listed == 64)
        }
    }

    @Test func `the feeder waits while the queue has too many jobs`() async throws {
        try await Self.with { harness, hub, store, worker in
            var options = FleetRun.Options()
            options.mostQueued = 10
            let run = FleetRun(
                hub, harness.pipeline.warm, store, Self.request(harness, 1...1_600), options)
            let feeding = Task { try await run.queue() }
            await eventually { run.snapshot.backlog > 0 }
            // A step of fifty jobs, and not the whole list.
            #expect(try await hub.queue.backlog().waiting == 50)
            let running = Task { try await worker.run() }
            try await feeding.value
            let result = try await run.wait()
            worker.drain()
            try await running.value
            #expect(result.missing == 0)
            #expect(store.names.count == 1_600)
        }
    }

    @Test func `equal items are queued once, and again if that is forced`() async throws {
        try await Self.with { harness, hub, store, _ in
            func queue(_ options: FleetRun.Options) async throws -> Int {
                let run = FleetRun(
                    hub, harness.pipeline.warm, store, Self.request(harness, 1...16), options)
                // As if another process did the same at that moment.
                try await hub.values.remove("run.\(run.id)")
                try await run.queue()
                return try await hub.queue.backlog().waiting
            }
            var forced = FleetRun.Options()
            forced.isForced = true
            let counts = [
                try await queue(.init()), try await queue(.init()), try await queue(forced),
            ]
            #expect(counts == [1, 1, 2])
        }
    }

    @Test func `reconciling queues what the store lacks, or only says it`() async throws {
        try await Self.with { harness, hub, store, worker in
            let run = FleetRun(
                hub, harness.pipeline.warm, store, Self.request(harness, 1...20), .init())
            #expect(try await run.missing(queuing: nil).count == 20)
            #expect(try await hub.queue.backlog().count == 0)
            #expect(try await run.missing(queuing: "a").count == 20)
            let running = Task { try await worker.run() }
            await eventually { store.names.count == 20 }
            #expect(try await run.missing(queuing: nil).count == 0)
            worker.drain()
            try await running.value
        }
    }
}
