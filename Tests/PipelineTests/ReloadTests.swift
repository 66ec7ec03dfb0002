import Catalog
import Hashing
import Imaging
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Pipeline

/// Settings that change while the pipeline works.
@Suite(.timeLimit(.minutes(1))) struct ReloadTests {
    private static let original = FixtureImages.jpeg(width: 320, height: 480, seed: 1)

    private func harness(_ gate: Gate? = nil) async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        let reply = OriginReply.jpeg(Self.original)
        harness.origin.on("/original/1.jpg", gate.map { reply.delayed(until: $0) } ?? reply)
        return harness
    }

    @Test func `another quality gives other bytes at once, and the first ones come back from disk`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let first = try await harness.picture(1).picture.facts.digest
            let memory = harness.pipeline.pictures.memory
            #expect(memory.load.count > 0)
            harness.reload { $0.jpegQuality = 20 }
            #expect(memory.load.count == 0)
            let second = try await harness.picture(1)
            #expect(second.outcome == .miss)
            #expect(second.picture.facts.digest != first)
            let renders = harness.pipeline.status.renderCount
            harness.reload()
            let third = try await harness.picture(1)
            #expect(third.picture.facts.digest == first && third.outcome == .hit)
            #expect(harness.pipeline.status.renderCount == renders)
            #expect(harness.origin.log.count("/original/1.jpg") == 1)
        }
    }

    @Test
    func `a request ends with the settings that it began with, and the next has the new ones`()
        async throws
    {
        let gate = Gate()
        try await withHarness(harness(gate)) { harness in
            let pipeline = harness.pipeline
            let level = try pipeline.level("m")
            @Sendable func picture() async throws -> PictureAnswer {
                try await pipeline.pictures.picture(
                    of: harness.item(1), level: level, format: .jpeg)
            }
            async let old = pipeline.during { try await picture() }
            try await harness.origin.wait { $0.count("/original/1.jpg") == 1 }
            harness.reload { $0.jpegQuality = 20 }
            async let new = pipeline.during { try await picture() }
            await eventually { pipeline.pictures.misses.count == 2 }
            gate.open()
            let (first, second) = try await (old.picture, new.picture)
            await pipeline.pictures.settled()
            #expect(first.facts.digest != second.facts.digest)
            // Whichever ended last.
            let hit = pipeline.pictures.hit(of: harness.item(1), level: level, format: .jpeg)
            #expect(hit?.digest == second.facts.digest)
            harness.reload()
            #expect(try await harness.picture(1).picture.facts.digest == first.facts.digest)
        }
    }

    @Test
    func `a picture made with earlier settings is answered, and not kept in memory`()
        async throws
    {
        let gate = Gate()
        try await withHarness(harness(gate)) { harness in
            let pipeline = harness.pipeline
            let level = try pipeline.level("m")
            async let old = pipeline.during {
                try await pipeline.pictures.picture(
                    of: harness.item(1), level: level, format: .jpeg)
            }
            try await harness.origin.wait { $0.count("/original/1.jpg") == 1 }
            harness.reload { $0.jpegQuality = 20 }
            gate.open()
            #expect(try await old.outcome == .miss)
            await pipeline.pictures.settled()
            #expect(pipeline.pictures.hit(of: harness.item(1), level: level, format: .jpeg) == nil)
        }
    }

    @Test func `levels and sources that are gone are unknown, and new levels are there`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let pipeline = harness.pipeline
            _ = try await harness.picture(1)
            let generation = pipeline.generation
            let tile = Level(name: "tile", width: 50, height: 50, fit: .cover(.center))
            harness.reload(levels: [tile], without: "itunes")
            #expect(pipeline.generation != generation)
            #expect(throws: Failure.self) { try pipeline.level("m") }
            #expect(throws: Failure.self) {
                try pipeline.item(source: "itunes", kind: "album", id: "1")
            }
            let picture = try await harness.picture(1, "tile").picture
            #expect(picture.facts.width == 50 && picture.facts.height == 50)
            #expect(harness.origin.log.count("/original/1.jpg") == 1)
        }
    }
}
