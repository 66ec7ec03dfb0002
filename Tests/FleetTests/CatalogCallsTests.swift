import Catalog
import Objects
import Pipeline
import PipelineSupport
import TestSupport
import Testing
import WorkQueueSupport

@testable import Fleet
@testable import WorkQueue

/// How often a fleet asks the catalogs, compared with one machine.
@Suite(.timeLimit(.minutes(1))) struct CatalogCallsTests {
    private static let shows = 40

    /// A list of one page, with a picture for each show.
    private static func harness(_ objects: (any ObjectStore)? = nil) async throws -> Harness {
        let harness = try await Harness(objects: objects)
        let list = (1...shows).map { Harness.show($0) }.joined(separator: ",")
        harness.origin.on("/shows", host: Harness.apiHost) { request in
            request.query == "page=0" ? .json("[\(list)]") : .status(404)
        }
        for id in 1...shows {
            harness.serveShow(id)
            let picture = FixtureImages.jpeg(width: 60, height: 90, seed: UInt64(id))
            harness.origin.on("/original/\(id).jpg", .jpeg(picture, maxAge: 3_600))
            harness.origin.on("/medium/\(id).jpg", .jpeg(picture, maxAge: 3_600))
        }
        return harness
    }

    private static func request(_ harness: Harness) throws -> WarmRequest {
        let query = try harness.pipeline.catalog.query(
            source: "tvmaze", list: "shows", parameters: [:])
        var request = WarmRequest(
            .pages([query], following: true), renditions: harness.levels, concurrency: 8)
        request.name = "tvmaze shows"
        return request
    }

    private static func calls(_ harness: Harness) -> [String] {
        harness.origin.log.requests.filter { $0.host == Harness.apiHost }
            .map { $0.path + ($0.query.map { "?\($0)" } ?? "") }
    }

    /// Warms the list with three workers, each with a cache of its own.
    ///
    /// - Parameter queued: called when everything is queued and no worker runs yet.
    private static func warm(
        _ feeder: Harness, queued: (Harness) -> Void = { _ in }
    ) async throws -> WarmSummary {
        let hub = QueueInMemory.hub()
        let (warm, request) = (feeder.pipeline.warm, try request(feeder))
        let run = FleetRun(hub, warm, feeder.pipeline.shared, request, .init())
        let running = Task { try await warm.run(request, in: run) }
        try await eventually {
            try await hub.queue.backlog().parts.reduce(0) { $0 + $1.waiting } == 3
        }
        queued(feeder)
        let result = try await withHarness(Harness(nodeBeside: feeder)) { first in
            try await withHarness(Harness(nodeBeside: feeder)) { second in
                try await withHarness(Harness(nodeBeside: feeder)) { third in
                    let workers = [first, second, third].enumerated().map { number, harness in
                        var policy = WorkerPolicy()
                        // One job at a time, so that each worker gets one.
                        policy.places = WarmJob.maxItems
                        return Worker(
                            hub, harness.pipeline.shared, name: "w\(number)", policy: policy,
                            logger: Harness.silentLogger)
                    }
                    return try await withThrowingTaskGroup(of: Void.self) { group in
                        for worker in workers { group.addTask { try await worker.run() } }
                        let result = try await running.value
                        for worker in workers { worker.drain() }
                        try await group.waitForAll()
                        return result
                    }
                }
            }
        }
        await hub.close()
        return result
    }

    @Test func `three workers ask the catalog as often as one machine`() async throws {
        let alone = try await withHarness(Self.harness()) { harness in
            let summary = try await harness.pipeline.warm.run(Self.request(harness))
            #expect(summary.items == Self.shows)
            return Self.calls(harness)
        }
        let bucket = try TemporaryDirectory()
        let fleet = try await withHarness(Self.harness(DirectoryStore(bucket.path))) { feeder in
            let result = try await Self.warm(feeder)
            #expect(result.missing == 0)
            #expect(result.listed == Self.shows)
            return Self.calls(feeder)
        }
        #expect(alone == ["/shows?page=0", "/shows?page=1"])
        #expect(fleet == alone)
    }

    @Test func `a job that waited for hours still needs no call`() async throws {
        let bucket = try TemporaryDirectory()
        try await withHarness(Self.harness(DirectoryStore(bucket.path))) { feeder in
            let result = try await Self.warm(feeder) { feeder in
                // Much longer than a page of a list is fresh, and less than it may be used.
                feeder.clock.advance(by: 6 * 3_600)
            }
            #expect(result.missing == 0)
            // The feeder reads the list again, to compare it with the store.
            #expect(Set(Self.calls(feeder)) == ["/shows?page=0", "/shows?page=1"])
        }
    }

    @Test func `a purge makes a node ask the catalog although a job describes the item`()
        async throws
    {
        let bucket = try TemporaryDirectory()
        try await withHarness(Self.harness(DirectoryStore(bucket.path))) { feeder in
            try await feeder.pipeline.warm.items(of: Self.request(feeder)) { items in
                for try await _ in items {}
            }
            let item = feeder.item(1)
            let known = try await feeder.pipeline.warm.descriptions(of: [item])
            #expect(known.map(\.item) == [item])
            try await withHarness(Harness(nodeBeside: feeder)) { node in
                node.clock.advance(by: 1)
                _ = try await node.pipeline.purge.run(.item(item))
                try await node.pipeline.shared.learn(known)
                _ = try await node.pipeline.shared.publish(item)
            }
            #expect(feeder.origin.log.count("/shows/1") == 1)
        }
    }
}
