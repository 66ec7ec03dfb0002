import Catalog
import Foundation
import Imaging
import PipelineSupport
import Store
import TestSupport
import Testing
import Threads

@testable import Pipeline

/// Two pipelines on one cache, as in two processes: one of everything.
@Suite(.timeLimit(.minutes(1))) struct ProcessesTests {
    private static let original = FixtureImages.jpeg(width: 680, height: 1_000, seed: 1)
    private static let path = "/original/1.jpg"

    /// Both shows have the same picture.
    private func withTwo(
        _ body: @escaping (_ one: Harness, _ two: Harness) async throws -> Void
    ) async throws {
        try await withHarness { one in
            one.serveShow(1, medium: nil)
            one.serveShow(2, medium: nil, original: Self.path)
            one.origin.on(Self.path, .jpeg(Self.original, maxAge: 1_000))
            try await withHarness(Harness(beside: one)) { two in try await body(one, two) }
        }
    }

    /// Runs both at once. The second begins when the origin has the first one's request, which is
    /// answered when the second process waits for the first.
    private func atOnce<First: Sendable, Second: Sendable>(
        _ one: Harness, _ two: Harness,
        _ first: @escaping @Sendable (Harness) async throws -> First,
        _ second: @escaping @Sendable (Harness) async throws -> Second
    ) async throws -> (First, Second) {
        let gate = Gate()
        one.origin.on(Self.path, .jpeg(Self.original, maxAge: 1_000).delayed(until: gate))
        async let made = first(one)
        try await one.origin.wait { $0.count(Self.path) == 1 }
        async let taken = second(two)
        await eventually { two.pipeline.pictures.context.thumbnails.index.claims.waiting == 1 }
        gate.open()
        return try await (made, taken)
    }

    private func renders(_ harnesses: Harness...) -> Int {
        harnesses.map(\.pipeline.status.renderCount).reduce(0, +)
    }

    /// Of the same item, and of two items.
    @Test(arguments: [1, 2])
    func `two processes that miss one picture download and render it once`(item: Int) async throws {
        try await withTwo { one, two in
            let (first, second) = try await atOnce(one, two) {
                try await $0.picture(1).picture
            } _: {
                try await $0.picture(item).picture
            }
            #expect(!first.isPlaceholder && first.bytes == second.bytes)
            #expect(one.origin.log.count(Self.path) == 1)
            #expect(one.origin.log.count("/shows/1") == 1)
            #expect(renders(one, two) == 1)
        }
    }

    @Test func `two processes that want tiles of the same picture make one pyramid`() async throws {
        try await withTwo { one, two in
            @Sendable func tag(_ harness: Harness) async throws -> String {
                let tile = ZoomRequest(
                    x: 0, y: 0, width: 512, height: 512, outWidth: 512, outHeight: 512)
                let size = ZoomSize(width: 680, height: 1_000)
                let zoom = harness.pipeline.zoom
                return "\(try await zoom.part(of: harness.item(1), tile, size).tag)"
            }
            let (first, second) = try await atOnce(one, two, tag, tag)
            #expect(first == second)
            #expect(renders(one, two) == 1)
        }
    }

    @Test func `a process takes what another one made of another picture of the item`()
        async throws
    {
        try await withTwo { one, two in
            one.serveShow(1)
            one.origin.on("/medium/1.jpg", .jpeg(Self.original, maxAge: 1_000))
            let (first, second) = try await atOnce(one, two) {
                try await $0.pipeline.pictures.ensure($0.item(1), $0.levels).failure
            } _: {
                // By itself it would take the small one.
                try await $0.picture(1, "xs").picture
            }
            #expect(first == nil && !second.isPlaceholder)
            #expect(one.origin.log.count("/medium/1.jpg") == 0)
            #expect(renders(one, two) == 1)
        }
    }

    @Test func `no item of a run begins while a client of another process waits`() async throws {
        try await withTwo { one, two in
            let gate = Gate()
            one.origin.on(Self.path, .jpeg(Self.original, maxAge: 1_000).delayed(until: gate))
            async let visitor = one.picture(1)
            try await one.origin.wait { $0.count(Self.path) == 1 }
            let run = WarmRequest(
                .items([two.item(2)]), renditions: two.levels, concurrency: 1)
            async let summary = two.pipeline.warm.run(run)
            let visitors = two.pipeline.pictures.visitors
            await eventually { visitors.waiting == 1 }
            #expect(two.origin.log.count("/shows/2") == 0)
            gate.open()
            _ = try await visitor
            #expect(try await summary.items == 1)
            #expect(two.origin.log.count("/shows/2") == 1)
            #expect(visitors.waiting == 0)
        }
    }

    @Test func `two processes that want the same document call its API once`() async throws {
        let directory = try TemporaryDirectory()
        let clock = ManualClock()
        let form = DocumentForm<String, String>.json(
            timeToLive: 900, failureLifetime: 30, cost: \.utf8.count
        ) {
            $0
        }
        let indexes = [try Index(root: directory.path), try Index(root: directory.path)]
        let caches = indexes.map {
            DocumentCache(index: $0, bytes: 1 << 20, form: form, now: { clock.now })
        }
        let (begun, gate, calls) = (Gate(), Gate(), Counter())
        async let first = caches[0].value(for: "a") { () throws(Failure) in
            calls.add()
            begun.open()
            await gate.wait()
            return "all"
        }
        await begun.wait()
        async let second = caches[1].value(for: "a") { () throws(Failure) in
            calls.add()
            return "again"
        }
        await eventually { indexes[1].claims.waiting == 1 }
        gate.open()
        let answers = try await [first, second]
        #expect(answers.map(\.document.value) == ["all", "all"])
        #expect(answers.map(\.wasAsked) == [true, false])
        #expect(calls.value == 1)
        for index in indexes { try index.close() }
    }

    @Test func `when the first process cancels, the second one does the work`() async throws {
        try await withTwo { one, two in
            let gate = Gate()
            one.origin.on(
                Self.path, .jpeg(Self.original).delayed(until: gate),
                .jpeg(Self.original, maxAge: 1_000))
            let first = Task { try await one.picture(1) }
            try await one.origin.wait { $0.count(Self.path) == 1 }
            async let second = two.picture(1)
            await eventually { two.pipeline.pictures.context.thumbnails.index.claims.waiting == 1 }
            first.cancel()
            #expect(try await !second.picture.isPlaceholder)
            await #expect(throws: Failure.self) { try await first.value }
            #expect(one.origin.log.count(Self.path) == 2)
            #expect((renders(one), renders(two)) == (0, 1))
            gate.open()
        }
    }

    @Test func `the second process has a picture that the first one can't save`()
        async throws
    {
        try await withTwo { one, two in
            let blobs = one.directory.file("v2/blobs")
            try FileManager.default.removeItem(atPath: blobs)
            try Data().write(to: URL(fileURLWithPath: blobs))
            let first = try await one.picture(1).picture
            #expect(one.pipeline.status.storage.unsavedBytes > 0)
            let second = try await two.picture(1).picture
            #expect(!second.isPlaceholder && first.bytes == second.bytes)
            #expect(one.origin.log.count(Self.path) == 2)
        }
    }

    @Test func `a purge by another process is noticed, and drops pictures from memory`()
        async throws
    {
        try await withTwo { one, two in
            _ = try await one.picture(1)
            _ = try await two.picture(1)
            let level = try two.pipeline.level("m")
            func inMemory(_ harness: Harness) -> Bool {
                harness.pipeline.pictures.hit(of: harness.item(1), level: level, format: .jpeg)
                    != nil
            }
            await two.pipeline.purge.follow()
            #expect(inMemory(two))
            _ = try await one.pipeline.purge.run(.item(one.item(1)))
            #expect(inMemory(two))
            await two.pipeline.purge.follow()
            #expect(!inMemory(two))
            #expect(try await two.picture(1).outcome == .miss)
            #expect(one.origin.log.count(Self.path) == 2)
            #expect(one.origin.log.count("/shows/1") == 2)
            // Its own purges leave what they don't concern.
            _ = try await one.pipeline.purge.run(.item(one.item(2)))
            await two.pipeline.purge.follow()
            _ = try await two.picture(1)
            _ = try await two.pipeline.purge.run(.item(one.item(2)))
            await two.pipeline.purge.follow()
            #expect(inMemory(two))
        }
    }
}
