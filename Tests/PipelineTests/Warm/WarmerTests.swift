import Catalog
import Fetch
import Foundation
import Imaging
import PipelineSupport
import Store
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct WarmerTests {
    private static let original = FixtureImages.jpeg(width: 400, height: 600, seed: 1)

    /// Every show has both pictures, each of its own.
    private func harness(_ count: Int) async throws -> Harness {
        let harness = try await Harness()
        for id in 1...count {
            harness.serveShow(id)
            let picture = FixtureImages.jpeg(width: 120, height: 180, seed: UInt64(id))
            harness.origin.on("/original/\(id).jpg", .jpeg(picture))
            harness.origin.on("/medium/\(id).jpg", .jpeg(picture))
        }
        return harness
    }

    private func run(
        _ harness: Harness, _ ids: [Int], concurrency: Int = 8
    ) async throws -> WarmSummary {
        try await harness.pipeline.warm.run(
            request(harness, ids) { $0.concurrency = concurrency })
    }

    @Test func `a second run finds everything and downloads nothing`() async throws {
        try await withHarness(harness(12)) { harness in
            // An item that is listed twice is warmed once.
            let first = try await run(harness, Array(1...12) + [3, 3])
            #expect(first.items == 12)
            #expect(first.originals == 12)
            #expect(first.thumbnails == 120)
            #expect(first.bytesFetched > 12_000)
            let asked = harness.origin.log.requests.count
            try await harness.restart()
            let second = try await run(harness, Array(1...12))
            #expect(second.originals == 0)
            #expect(second.thumbnails == 0)
            #expect(second.reused == 120)
            #expect(harness.origin.log.requests.count == asked)
        }
    }

    @Test func `fresh pictures need no catalog, however old its answers are`() async throws {
        try await withHarness(harness(2)) { harness in
            harness.origin.on("/original/2.jpg", .status(404))
            _ = try await run(harness, [1, 2])
            let asked = harness.origin.log.requests.count
            // What the catalog said is out of date, the pictures are not.
            harness.clock.advance(by: 3_600)
            let summary = try await run(harness, [1, 2])
            #expect((summary.items, summary.reused, summary.fallbacks) == (2, 20, 1))
            #expect(harness.origin.log.requests.count == asked)
            // A thumbnail whose file is gone is made again.
            let blobs = harness.directory.file("v2/blobs")
            try FileManager.default.removeItem(atPath: blobs)
            try FileManager.default.createDirectory(
                atPath: blobs, withIntermediateDirectories: true)
            #expect(try await run(harness, [1]).thumbnails == 10)
        }
    }

    @Test func `the summary counts fallbacks, placeholders and failures apart`() async throws {
        try await withHarness(harness(5)) { harness in
            harness.origin.on("/original/2.jpg", .status(404))
            for path in ["/original/3.jpg", "/medium/3.jpg"] {
                harness.origin.on(path, .status(404))
            }
            for path in ["/original/4.jpg", "/medium/4.jpg"] {
                harness.origin.on(path, .status(503))
            }
            for path in ["/original/5.jpg", "/medium/5.jpg"] {
                harness.origin.on(path, .html("<html></html>"))
            }
            let endings = Mutex<[String: WarmedItem.Ending]>([:])
            let run = request(harness, Array(1...5)) { $0.concurrency = 2 }
            let summary = try await harness.pipeline.warm.run(run) { warmed in
                endings.withLock { $0["\(warmed.item)"] = warmed.ending }
            }
            #expect(summary.items == 5)
            #expect(summary.fallbacks == 1)
            #expect(summary.placeholders == 2)
            #expect(summary.failed == 1)
            #expect(summary.originals == 2)
            let found = endings.withLock { $0 }
            #expect(found["tvmaze/show/1"] == .picture)
            guard case .fallback(let reason) = found["tvmaze/show/2"] else {
                Issue.record("no fallback")
                return
            }
            #expect(reason.contains("The origin answered 404."))
            #expect(
                found["tvmaze/show/4"]
                    == .failed(reason: "The origin answered 503 after 4 attempts."))
        }
    }

    @Test func `no more items are under way than asked for`() async throws {
        try await withHarness(harness(20)) { harness in
            _ = try await run(harness, Array(1...20), concurrency: 3)
            #expect(harness.origin.log.peak <= 3)
        }
    }

    @Test func `a list that breaks off lets the items under way end, then throws`() async throws {
        struct Broken: Error {}
        try await withHarness(harness(2)) { harness async throws in
            let listed = Mutex<[[Item]]>([[harness.item(1), harness.item(2)]])
            let list = WarmScope.stream {
                {
                    guard let items = listed.withLock({ $0.popLast() }) else { throw Broken() }
                    return items
                }
            }
            let reported = Mutex(0)
            let run = WarmRequest(list, renditions: harness.levels, concurrency: 4)
            await #expect(throws: Broken.self) {
                try await harness.pipeline.warm.run(run) { _ in reported.withLock { $0 += 1 } }
            }
            #expect(reported.withLock(\.self) == 2)
        }
    }

    private func request(
        _ harness: Harness, _ ids: [Int], _ adjust: (inout WarmRequest) -> Void = { _ in }
    ) -> WarmRequest {
        var request = WarmRequest(
            .items(ids.map { harness.item($0) }), renditions: harness.levels, concurrency: 1)
        adjust(&request)
        return request
    }

    @Test func `only missing pictures are made when that is asked for`() async throws {
        try await withHarness(harness(2)) { harness in
            _ = try await run(harness, [1])
            harness.clock.advance(by: 86_400 * 40)
            let summary = try await harness.pipeline.warm.run(
                request(harness, [1, 2]) { $0.onlyMissing = true })
            #expect((summary.items, summary.originals, summary.reused) == (2, 1, 10))
            #expect(harness.origin.log.count("/original/1.jpg") == 1)
        }
    }

    @Test(arguments: [
        (WarmRequest.Priority.list, [1, 2, 3]), (.missing, [2, 3, 1]), (.stale, [1, 2, 3]),
    ])
    func `missing or stale pictures go first when that is asked for`(
        priority: WarmRequest.Priority, order: [Int]
    ) async throws {
        try await withHarness(harness(3)) { harness in
            _ = try await run(harness, [1])
            harness.clock.advance(by: 86_400 * 40)
            let ended = Mutex<[String]>([])
            _ = try await harness.pipeline.warm.run(
                request(harness, [1, 2, 3]) { $0.priority = priority }
            ) { warmed in
                ended.withLock { $0.append(warmed.item.id) }
            }
            #expect(ended.withLock { $0 } == order.map(String.init))
        }
    }

    @Test func `a detailed run describes the stored picture`() async throws {
        try await withHarness(harness(1)) { harness in
            let stored = Mutex<WarmedPicture?>(nil)
            _ = try await harness.pipeline.warm.run(
                request(harness, [1]) { $0.isDetailed = true }
            ) { warmed in
                stored.withLock { $0 = warmed.stored }
            }
            let picture = try #require(stored.withLock { $0 })
            #expect((picture.summary?.width, picture.summary?.height) == (120, 180))
            #expect(picture.summary?.thumbHash.isEmpty == false && picture.byteCount ?? 0 > 1_000)
            #expect(picture.thumbnails.count == 10 && picture.thumbnails["xs.jpg"] != nil)
        }
    }

    @Test func `a run counts its requests, and tells what was forecast`() async throws {
        try await withHarness(harness(4)) { harness in
            let first = request(harness, [1, 2]) { $0.name = "two" }
            let blind = try await harness.pipeline.warm.forecast(first)
            #expect((blind.missing, blind.originals, blind.basis) == (2, 2, .nothing))
            let summary = try await harness.pipeline.warm.run(first)
            // A call and a picture each.
            #expect(summary.requests == 4)
            #expect(summary.networkSeconds > 0)
            #expect(summary.forecast == blind)
            let next = try await harness.pipeline.warm.forecast(request(harness, [1, 2, 3, 4]))
            #expect((next.fresh, next.missing) == (2, 2))
            #expect((next.basis, next.requests) == (.storedOriginals, 2))
            #expect(next.bytesFetched == summary.bytesFetched / 2 * 2)
        }
    }

    @Test func `a stale page of the list is reported`() async throws {
        try await withHarness(harness(1)) { harness in
            harness.origin.on(
                "/shows", host: Harness.apiHost, .json("[\(Harness.show(1))]"),
                .status(503, headers: [("Retry-After", "999")]))
            let query = try harness.pipeline.catalog.query(
                source: "tvmaze", list: "shows", parameters: ["page": "0"])
            let request = WarmRequest(
                .pages([query], following: false), renditions: harness.levels, concurrency: 1)
            let first = try await harness.pipeline.warm.run(request)
            #expect(first.items == 1 && first.stalePages.isEmpty)
            harness.clock.advance(by: 3_600)
            let second = try await harness.pipeline.warm.run(request)
            #expect(second.items == 1)
            #expect(second.stalePages.map(\.page) == ["tvmaze/shows?page=0"])
            #expect(try await harness.pipeline.warm.forecast(request).stalePages.count == 1)
        }
    }

    @Test func `no item of a run begins while a client waits`() async throws {
        try await withHarness(harness(2)) { harness in
            let gate = Gate()
            harness.origin.on("/shows/1", host: Harness.apiHost) { _ in
                .json(Harness.show(1)).delayed(until: gate)
            }
            async let visitor = harness.picture(1, "xs")
            try await harness.origin.waitForRequests(1)
            let visitors = harness.pipeline.pictures.visitors
            let request = request(harness, [2])
            let warm = harness.pipeline.warm
            let run = Task { try await warm.run(request) }
            await eventually { visitors.waiting == 1 }
            #expect(harness.origin.log.requests.count == 1)
            gate.open()
            _ = try await visitor
            #expect(try await run.value.originals == 1)
            #expect(visitors.count == 0)
        }
    }

    /// Transfers that wait for their hosts.
    private func queued(_ harness: Harness) async -> Int {
        await harness.pipeline.origins.reduce(0) { $0 + $1.waiting }
    }

    @Test func `a client's calls go before those that a run has queued, also if it joins one`()
        async throws
    {
        let oneByOne = try await Harness {
            $0.hosts = [(HostPattern("*"), HostPolicy(maxConcurrent: 1))]
        }
        try await withHarness(oneByOne) { harness in
            let gate = Gate()
            for id in 1...5 {
                harness.origin.on("/shows/\(id)", host: Harness.apiHost) { _ in
                    .json(Harness.show(id)).delayed(until: gate)
                }
                harness.origin.on("/original/\(id).jpg", .jpeg(Self.original))
                harness.origin.on("/medium/\(id).jpg", .jpeg(Self.original))
            }
            let run = request(harness, [1, 2, 3, 4]) { $0.concurrency = 4 }
            async let summary = harness.pipeline.warm.run(run)
            // Any of them may be the first.
            await eventually { await queued(harness) == 3 }
            try await harness.origin.waitForRequests(1)
            func calls() -> [String] {
                harness.origin.log.requests.map(\.path).filter { $0.hasPrefix("/shows/") }
            }
            let joined = calls() == ["/shows/4"] ? 3 : 4
            async let visitor = harness.picture(5, "xs")
            await eventually { await queued(harness) == 4 }
            async let joining = harness.picture(joined, "xs")
            await eventually {
                harness.pipeline.pictures.misses.waiting(for: harness.item(joined)) == 2
            }
            gate.open()
            _ = try await (visitor, joining)
            #expect(try await summary.items == 4)
            #expect(calls().dropFirst().prefix(2) == ["/shows/5", "/shows/\(joined)"])
            #expect(calls().count == 5)
        }
    }
}
