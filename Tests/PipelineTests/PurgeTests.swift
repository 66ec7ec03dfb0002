import Catalog
import Foundation
import Imaging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

/// Forgetting pictures of a whole pipeline.
@Suite(.timeLimit(.minutes(1))) struct PurgeTests {
    private func harness() async throws -> Harness {
        let harness = try await Harness()
        for id in 1...2 {
            harness.serveShow(id, medium: nil)
            harness.origin.on(
                "/original/\(id).jpg",
                .jpeg(
                    FixtureImages.jpeg(width: 680, height: 1000, seed: UInt64(id)), maxAge: 1_000))
        }
        return harness
    }

    @Test func `a hard purge asks the origin again, and only for that item`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1)
            _ = try await harness.picture(2)
            let receipt = try await harness.pipeline.purge.run(.item(harness.item(1)))
            #expect(receipt.items == 1)
            #expect(receipt.originals == 1)
            #expect(receipt.documents == 1)
            #expect(receipt.thumbnails > 1)
            #expect(receipt.blobs == receipt.thumbnails + 1)
            let level = try harness.pipeline.level("m")
            #expect(
                harness.pipeline.pictures.hit(of: harness.item(1), level: level, format: .jpeg)
                    == nil)
            #expect(try await harness.picture(1).outcome == .miss)
            #expect(try await harness.picture(2).outcome == .hit)
            #expect(harness.origin.log.count("/original/1.jpg") == 2)
        }
    }

    @Test func `a soft purge shows the picture once more while it is fetched again`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1)
            let receipt = try await harness.pipeline.purge.run(.source("tvmaze"), soft: true)
            #expect(receipt.soft)
            #expect(receipt.blobs == 0)
            #expect(try await harness.picture(1).outcome == .stale)
        }
    }

    @Test func `a purge of all survives a restart`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1)
            _ = try await harness.picture(2)
            _ = try await harness.pipeline.userData.addFavorite(harness.item(1))
            #expect(try await harness.pipeline.purge.run(.all).items == 2)
            try await harness.restart()
            #expect(
                try await harness.pipeline.userData.favorites(among: [harness.item(1)]).count == 1)
            #expect(try await harness.picture(2).outcome == .miss)
        }
    }

    @Test func `a purge is named by item, source or all`() async throws {
        try await withHarness { harness async throws in
            #expect(try harness.pipeline.purge.scope("all") == .all)
            #expect(try harness.pipeline.purge.scope("tvmaze") == .source("tvmaze"))
            #expect(try harness.pipeline.purge.scope("tvmaze/show/1") == .item(harness.item(1)))
            for wrong in ["", "nobody", "tvmaze/show", "tvmaze/show/1/2"] {
                #expect(throws: Failure.self) { try harness.pipeline.purge.scope(wrong) }
            }
        }
    }
}
