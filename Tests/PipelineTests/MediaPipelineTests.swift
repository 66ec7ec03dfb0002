import Catalog
import Hashing
import Imaging
import JSON
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct MediaPipelineTests {
    private static let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)
    private static let medium = FixtureImages.jpeg(width: 210, height: 295, seed: 2)

    /// Show 1 with both pictures.
    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1)
        harness.origin.on("/original/1.jpg", .jpeg(Self.original, tag: "a"))
        harness.origin.on("/medium/1.jpg", .jpeg(Self.medium))
        return harness
    }

    @Test func `a cold item is fetched and rendered, then it is a hit`() async throws {
        try await withHarness(harness()) { harness in
            let cold = try await harness.picture(1)
            #expect(cold.outcome == .miss)
            #expect((cold.picture.facts.width, cold.picture.facts.height) == (320, 471))
            #expect(ImageFormat.sniff(cold.picture.bytes) == .jpeg)
            #expect(cold.picture.facts.digest == Digest(of: cold.picture.bytes))
            let hit = try await harness.picture(1)
            #expect(hit.outcome == .hit)
            #expect(hit.picture.bytes == cold.picture.bytes)
            #expect(harness.origin.log.requests.map(\.path) == ["/shows/1", "/original/1.jpg"])
            let upkeep = harness.pipeline.upkeep
            await upkeep.stop()
            #expect(await upkeep.servedCounts() == ServedCounts(hits: 1, misses: 1))
        }
    }

    @Test func `a thousand requests for a cold item make one call, download and decode`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let gate = Gate()
            harness.origin.on("/original/1.jpg", .jpeg(Self.original).delayed(until: gate))
            let levels = ["xl", "l", "m", "s", "xs"]
            let outcomes = try await withThrowingTaskGroup(of: PictureAnswer.self) { group in
                for number in 0..<1_000 {
                    group.addTask {
                        try await harness.picture(
                            1, levels[number % 5], number % 2 == 0 ? .webp : .jpeg)
                    }
                }
                try await harness.origin.wait { $0.count("/shows/1") == 1 }
                await eventually {
                    harness.pipeline.pictures.waiting(for: harness.item(1)) >= 1_000
                }
                gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.allSatisfy { !$0.picture.isPlaceholder })
            #expect(Set(outcomes.map(\.picture.facts.digest)).count == 10)
            #expect(outcomes.count { $0.outcome == .miss } == 1)
            #expect(harness.origin.log.requests.count == 2)
            #expect(harness.pipeline.status.renderCount == 1)
        }
    }

    @Test func `a request for one level stores its smaller siblings`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1, "m")
            for level in ["s", "xs"] {
                #expect(try await harness.picture(1, level).outcome == .hit)
            }
            #expect(harness.origin.log.requests.count == 2)
        }
    }

    @Test func `a larger level doesn't replace fresh smaller ones of another original`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let small = try await harness.picture(1, "s").picture.facts.digest
            let large = try await harness.picture(1, "m")
            #expect(large.outcome == .miss)
            let again = try await harness.picture(1, "s")
            #expect(again.outcome == .hit && again.picture.facts.digest == small)
            let paths = harness.origin.log.requests.map(\.path)
            #expect(paths.filter { $0.hasSuffix(".jpg") } == ["/medium/1.jpg", "/original/1.jpg"])
            // After they have expired, both come from the original that covers the larger one.
            harness.clock.advance(by: 40 * 86_400)
            _ = try await harness.pipeline.pictures.ensure(
                harness.item(1), harness.levels.filter { ["s", "m"].contains($0.level.name) })
            #expect(try await harness.picture(1, "s").picture.facts.digest != small)
        }
    }

    /// `ChainTests` has candidates that can't be fetched.
    @Test(arguments: [OriginReply.jpeg(FixtureImages.truncated(original)), .ok([])])
    func `a candidate that is not a picture gives way to the next`(reply: OriginReply) async throws
    {
        try await withHarness(harness()) { harness in
            harness.origin.on("/original/1.jpg", reply)
            let answer = try await harness.picture(1, "m")
            #expect(!answer.picture.isPlaceholder)
            #expect(answer.picture.facts.width == 210)
            let explanation = try await harness.pipeline.pictures.explain(
                harness.item(1), resolving: false)
            #expect(explanation.trace?.fellBack == true)
        }
    }

    @Test(
        arguments: [
            (.status(404), .absent, 86_400), (.status(500), .unavailable, 30),
            (.jpeg(FixtureImages.truncated(original)), .rejected, 3_600),
        ] as [(OriginReply, Failure.Kind, Double)])
    func `a placeholder is shown when every candidate failed, for as long as its class says`(
        reply: OriginReply, kind: Failure.Kind, lifetime: Double
    ) async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on("/original/1.jpg", reply)
            harness.origin.on("/medium/1.jpg", reply)
            let answer = try await harness.picture(1)
            #expect(answer.picture.isPlaceholder)
            #expect(answer.picture.failure?.kind == kind)
            let asked = harness.origin.log.requests.count
            harness.clock.advance(by: lifetime - 1)
            #expect(try await harness.picture(1).picture.isPlaceholder)
            #expect(harness.origin.log.requests.count == asked)
            harness.clock.advance(by: 2)
            harness.origin.on("/original/1.jpg", .jpeg(Self.original))
            #expect(try await !harness.picture(1).picture.isPlaceholder)
        }
    }

    @Test func `a fallback is replaced once the better candidate works again`() async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on("/original/1.jpg", .status(503))
            #expect(try await harness.picture(1).picture.facts.width == 210)
            harness.origin.on("/original/1.jpg", .jpeg(Self.original))
            harness.clock.advance(by: 31)
            #expect(try await harness.picture(1).outcome == .stale)
            try await harness.origin.wait { $0.count("/original/1.jpg") == 5 }
            try await eventually { try await harness.picture(1).picture.facts.width == 320 }
        }
    }

    @Test func `equal originals are stored once`() async throws {
        try await withHarness(harness()) { harness in
            harness.serveShow(2, medium: nil, original: "/other.jpg")
            harness.origin.on("/other.jpg", .jpeg(Self.original))
            let first = try await harness.picture(1)
            let second = try await harness.picture(2)
            #expect(first.picture.facts.digest == second.picture.facts.digest)
            #expect(harness.pipeline.status.renderCount == 1)
        }
    }

    @Test func `a quarantined original is fetched again although its thumbnails are stored`()
        async throws
    {
        let harness = try await harness()
        let first = try await harness.pipeline.pictures.original(of: harness.item(1))
        _ = try await harness.picture(1, harness.pipeline.configuration.levels.last?.name ?? "")
        let renders = harness.pipeline.status.renderCount
        try harness.damage(first.digest)
        let second = try await harness.pipeline.pictures.original(of: harness.item(1))
        #expect(second.digest == first.digest)
        #expect(second.outcome == .miss)
        #expect(try await harness.original(1) == Self.original)
        #expect(harness.pipeline.status.renderCount == renders)
        try await harness.close()
    }

    @Test func `the original is served as the origin sent it`() async throws {
        try await withHarness(harness()) { harness in
            let answer = try await harness.pipeline.pictures.original(of: harness.item(1))
            #expect(answer.content.byteCount == Self.original.count)
            #expect(answer.outcome == .miss)
            #expect(
                try await harness.pipeline.pictures.original(of: harness.item(1)).outcome == .hit)
            guard case .open(let blob) = try await harness.pipeline.pictures.blob(answer.digest)
            else {
                Issue.record("the blob is not open")
                return
            }
            #expect(try await blob.read(0..<blob.byteCount) == Self.original)
        }
    }
}
