import Catalog
import Pipeline
import PipelineSupport
import Synchronization
import TestSupport
import Testing
import WorkQueueSupport

@testable import Fleet
@testable import WorkQueue

@Suite(.timeLimit(.minutes(1))) struct FleetRunTests {
    /// A queue, a store that a test plays, a worker that is not running yet, and runs of them.
    private struct Bed {
        let harness: Harness
        let hub: Hub
        let store: PlayedStore
        let worker: Worker

        func request(_ scope: WarmScope) -> WarmRequest {
            var request = WarmRequest(scope, renditions: [], concurrency: 1)
            request.name = "shows"
            return request
        }

        func items(_ ids: ClosedRange<Int>) -> [Item] { ids.map { harness.item($0) } }

        func run(_ request: WarmRequest, _ options: FleetRun.Options = .init()) -> FleetRun {
            FleetRun(hub, harness.pipeline.warm, store, request, options)
        }

        /// Warms a list with the worker, which begins when so many jobs are queued.
        func warm(
            _ scope: WarmScope, _ options: FleetRun.Options = .init(), jobs: Int = 1,
            report: @escaping @Sendable (WarmedItem) async throws -> Void = { _ in },
            when begun: @Sendable () async throws -> Void = {}
        ) async throws -> WarmSummary {
            let request = request(scope)
            let (run, warm) = (run(request, options), harness.pipeline.warm)
            let running = Task { try await warm.run(request, in: run, report: report) }
            try await eventually { try await hub.queue.backlog().waiting == jobs }
            let working = Task { try await worker.run() }
            try await begun()
            let summary = try await running.value
            worker.drain()
            try await working.value
            return summary
        }
    }

    private static func with(_ body: (Bed) async throws -> Void) async throws {
        try await withHarness { harness in
            let hub = QueueInMemory.hub()
            let store = PlayedStore()
            var policy = WorkerPolicy()
            policy.retryAfter = .milliseconds(1)
            policy.maxDeliveries = 2
            let worker = Worker(
                hub, store, name: "w", policy: policy,
                logger: Harness.silentLogger)
            try await body(Bed(harness: harness, hub: hub, store: store, worker: worker))
            await hub.close()
        }
    }

    /// A list of a file: each reading begins at its first line.
    private static func file(_ items: [Item]) -> WarmScope {
        .stream {
            let rest = Mutex([items])
            return { rest.withLock { $0.popLast() } }
        }
    }

    @Test(arguments: [false, true])
    func `a run is done when the store lacks nothing, though a job was lost`(
        isFile: Bool
    ) async throws {
        try await Self.with { bed in
            // A job whose items were never stored, and one that a worker confirmed all the same.
            bed.store.play("tvmaze/show/3", .isLost)
            let items = bed.items(1...40)
            let reported = Mutex<[Int: WarmedItem]>([:])
            let store = bed.store
            let list = isFile ? Self.file(items) : .items(items)
            let summary = try await bed.warm(list, jobs: 3) { warmed in
                let known = reported.withLock { $0.updateValue(warmed, forKey: warmed.number) }
                #expect(known == nil, "each item is reported once")
            } when: {
                await eventually { store.names.count == 39 }
                store.play("tvmaze/show/3", .works)
            }
            #expect((summary.missing, summary.listed, summary.items) == (0, 40, 40))
            #expect(!summary.isPartial)
            #expect(bed.store.names.count == 40)
            #expect(bed.store.counts["tvmaze/show/3"] == 2)
            let ends = reported.withLock(\.self)
            #expect((0..<40).map { ends[$0]?.item } == items)
        }
    }

    @Test func `a run ends though an item can't be had, and names it with its reason`() async throws
    {
        try await Self.with { bed in
            bed.store.play("tvmaze/show/2", .fails(Failure(.timedOut, "too slow")))
            let failed = Mutex<[WarmedItem.Ending]>([])
            let summary = try await bed.warm(.items(bed.items(1...3))) { warmed in
                if !warmed.ending.isPicture { failed.withLock { $0.append(warmed.ending) } }
            }
            #expect((summary.missing, summary.items, summary.failed) == (1, 3, 1))
            #expect(summary.named == ["tvmaze/show/2"])
            #expect(summary.dead ?? 0 >= 1)
            #expect(summary.isPartial)
            #expect(failed.withLock { $0 } == [.failed(reason: "too slow")])
        }
    }

    @Test func `a list that can be read once counts what workers did`() async throws {
        try await Self.with { bed in
            bed.store.play("tvmaze/show/2", .fails(Failure(.refused, "a forbidden host")))
            let rest = Mutex([bed.items(1...3)])
            let summary = try await bed.warm(.stream { { rest.withLock { $0.popLast() } } })
            #expect((summary.missing, summary.listed) == (nil, 3))
            #expect((summary.items, summary.failed, summary.dead) == (3, 1, 1))
            #expect(summary.isPartial)
        }
    }

    private static var detached: FleetRun.Options {
        var options = FleetRun.Options()
        options.isDetached = true
        return options
    }

    @Test func `an interrupted run continues where it stopped`() async throws {
        try await Self.with { bed in
            let request = bed.request(.items(bed.items(1...64)))
            let run = bed.run(request, Self.detached)
            let cursor = #"{"generation":0,"queued":32,"isDone":false}"#
            try await bed.hub.values.set("run.\(run.id)", Array(cursor.utf8))
            let summary = try await bed.harness.pipeline.warm.run(request, in: run)
            #expect(try await bed.hub.queue.backlog().waiting == 2)
            #expect((summary.listed, summary.missing) == (64, nil))
        }
    }

    @Test func `the feeder waits while the queue has too many jobs`() async throws {
        try await Self.with { bed in
            var options = FleetRun.Options()
            options.mostQueued = 10
            // A step of fifty jobs, and not the whole list.
            let summary = try await bed.warm(.items(bed.items(1...1_600)), options, jobs: 50)
            #expect(summary.missing == 0)
            #expect(bed.store.names.count == 1_600)
        }
    }

    @Test func `equal items are queued once, and again if that is forced`() async throws {
        try await Self.with { bed in
            func queue(_ options: FleetRun.Options) async throws -> Int {
                let request = bed.request(.items(bed.items(1...16)))
                let run = bed.run(request, options)
                // As if another process did the same at that moment.
                try await bed.hub.values.remove("run.\(run.id)")
                _ = try await bed.harness.pipeline.warm.run(request, in: run)
                return try await bed.hub.queue.backlog().waiting
            }
            var forced = Self.detached
            forced.isForced = true
            let counts = [
                try await queue(Self.detached), try await queue(Self.detached),
                try await queue(forced),
            ]
            #expect(counts == [1, 1, 2])
        }
    }

    @Test func `reconciling queues what the store lacks, or only says it`() async throws {
        try await Self.with { bed in
            let run = bed.run(bed.request(.items(bed.items(1...20))))
            #expect(try await run.reconcile(queuing: false).missing == 20)
            #expect(try await bed.hub.queue.backlog().count == 0)
            let found = try await run.reconcile(queuing: true)
            #expect((found.listed, found.missing, found.named.count) == (20, 20, 20))
            let (store, worker) = (bed.store, bed.worker)
            let running = Task { try await worker.run() }
            await eventually { store.names.count == 20 }
            #expect(try await run.reconcile(queuing: false).missing == 0)
            worker.drain()
            try await running.value
        }
    }
}
