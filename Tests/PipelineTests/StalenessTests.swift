import Catalog
import Hashing
import Imaging
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct StalenessTests {
    private static let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)
    private static let other = FixtureImages.jpeg(width: 500, height: 500, seed: 3)

    /// Show 1, whose only picture is fresh for a minute.
    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        harness.origin.on("/original/1.jpg", .jpeg(Self.original, maxAge: 60, tag: "a"))
        return harness
    }

    @Test func `a stored picture is served past its freshness while the origin is cut off`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let fresh = try await harness.picture(1)
            await harness.origin.stop()
            harness.clock.advance(by: 1_000)
            for _ in 0..<3 {
                let stale = try await harness.picture(1)
                #expect(stale.outcome == .stale)
                #expect(stale.picture.bytes == fresh.picture.bytes)
                harness.clock.advance(by: 1_000)
            }
            try await harness.restart()
            let afterRestart = try await harness.picture(1)
            #expect(afterRestart.outcome == .stale)
            #expect(afterRestart.picture.bytes == fresh.picture.bytes)
        }
    }

    @Test func `a stale picture is revalidated in the background, once`() async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on("/original/1.jpg") { request in
                request.header("if-none-match") == "\"a\""
                    ? .status(304, headers: [("Cache-Control", "max-age=60")])
                    : .jpeg(Self.original, maxAge: 60, tag: "a")
            }
            _ = try await harness.picture(1)
            harness.clock.advance(by: 61)
            for _ in 0..<20 { _ = try await harness.picture(1) }
            try await eventually { try await harness.picture(1).outcome == .hit }
            #expect(harness.origin.log.count("/original/1.jpg") == 2)
            #expect(harness.pipeline.status.renderCount == 1)
        }
    }

    @Test func `a changed original replaces the thumbnails`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1)
            harness.origin.on("/original/1.jpg", .jpeg(Self.other, tag: "b"))
            harness.clock.advance(by: 61)
            try await eventually { try await harness.picture(1).picture.facts.height == 320 }
            let new = try await harness.picture(1)
            #expect((new.picture.facts.width, new.picture.facts.height) == (320, 320))
            #expect(harness.pipeline.status.renderCount == 2)
        }
    }

    @Test func `a picture that its source took away is gone`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1)
            harness.origin.on("/original/1.jpg", .status(404))
            harness.clock.advance(by: 61)
            try await eventually { try await harness.picture(1).picture.isPlaceholder }
            let gone = try await harness.picture(1)
            #expect(gone.picture.isPlaceholder)
            #expect(gone.picture.failure?.kind == .absent)
            #expect(harness.origin.log.count("/original/1.jpg") == 2)
        }
    }

    @Test func `a damaged thumbnail is rendered again from the stored original`() async throws {
        try await withHarness(harness()) { harness in
            let good = try await harness.picture(1)
            try harness.damage(good.picture.facts.digest)
            try await harness.restart()
            let healed = try await harness.picture(1)
            #expect(healed.picture.bytes == good.picture.bytes)
            #expect(harness.origin.log.count("/original/1.jpg") == 1)
        }
    }

    @Test func `a damaged original is fetched again`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1)
            try harness.damage(Digest(of: Self.original))
            let answer = try await harness.picture(1, "m", .webp)
            #expect(!answer.picture.isPlaceholder)
            #expect(harness.origin.log.count("/original/1.jpg") == 2)
        }
    }
}
