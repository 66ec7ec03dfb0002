import Catalog
import Foundation
import Imaging
import Pipeline
import PipelineSupport
import Synchronization
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

/// The names by which caches in front purge responses.
@Suite(.timeLimit(.minutes(1))) struct CacheTagTests {
    @Test(arguments: [
        (Item(source: "tvmaze", kind: "show", id: "1"), "tvmaze/show/1"),
        (Item(source: "pics", kind: "file", id: "a b,c%.jpg"), "pics/file/a%20b%2Cc%25.jpg"),
        (Item(source: "pics", kind: "file", id: "\u{e9}\t"), "pics/file/%C3%A9%09"),
        (
            Item(source: "url", kind: "image", id: "aHR0cHM6Ly9h"),
            "url/image/~7530e7a433930439e543bf78cc476b24"
        ),
    ])
    func `a name has no space, comma or secret`(item: Item, name: String) {
        #expect(CacheTag.of(item) == name)
    }

    @Test func `a long id is named by its digest`() {
        let name = CacheTag.of(
            Item(source: "pics", kind: "file", id: String(repeating: "a", count: 300)))
        #expect(name.hasPrefix("pics/file/~") && name.utf8.count == 43)
    }

    @Test func `a response names its items while they fit, and its sources' lists otherwise`() {
        let few = (1...2).map { Item(source: "tvmaze", kind: "show", id: "\($0)") }
        #expect(
            CacheTag.names(of: few, sources: ["tvmaze"])
                == ["vitrine", "tvmaze", "tvmaze/show/1", "tvmaze/show/2"])
        let many = (1...250).map { Item(source: "tvmaze", kind: "show", id: "\($0)") }
        #expect(
            CacheTag.names(of: many, sources: ["tvmaze"]) == ["vitrine", "tvmaze", "tvmaze/lists"])
        #expect(CacheTag.names(of: [], sources: []) == ["vitrine"])
    }

    @Test func `a purge names items, sources or everything`() {
        let other = "tmdb/movie/3"
        #expect(CacheTag.purged(.all, ["tvmaze/show/1", other]) == ["vitrine"])
        #expect(
            CacheTag.purged(.source("tvmaze"), ["tvmaze/show/1", other])
                == ["tvmaze", other, "tmdb/lists"])
        // Both items had the picture.
        #expect(
            CacheTag.purged(.item(Item(source: "tvmaze", kind: "show", id: "1")), [other])
                == [other, "tvmaze/show/1", "tmdb/lists", "tvmaze/lists"])
    }

    /// Remembers what it is told.
    private final class Told: PurgeHook {
        struct Purge: Equatable {
            var tags: [String]
            var soft: Bool
        }

        private let all = Mutex<[Purge]>([])

        var purges: [Purge] { all.withLock { $0 } }

        func purged(_ tags: [String], soft: Bool) {
            all.withLock { $0.append(Purge(tags: tags, soft: soft)) }
        }
    }

    @Test func `the node that takes a purge tells the caches in front, and no other does`()
        async throws
    {
        let told = Told()
        try await withHarness(Harness(hook: told)) { harness in
            for id in 1...2 { harness.serveShow(id, medium: nil) }
            // One picture of two shows.
            let picture = FixtureImages.jpeg(width: 340, height: 500, seed: 1)
            for id in 1...2 { harness.origin.on("/original/\(id).jpg", .jpeg(picture)) }
            for id in 1...2 { _ = try await harness.picture(id) }
            _ = try await harness.pipeline.purge.run(.item(harness.item(1)), isLocal: true)
            #expect(told.purges.isEmpty)
            for id in 1...2 { _ = try await harness.picture(id) }
            _ = try await harness.pipeline.purge.everywhere(.item(harness.item(1)), soft: false)
            _ = try await harness.pipeline.purge.everywhere(.source("tvmaze"), soft: true)
            #expect(
                told.purges == [
                    .init(tags: ["tvmaze/show/1", "tvmaze/show/2", "tvmaze/lists"], soft: false),
                    .init(tags: ["tvmaze"], soft: true),
                ])
        }
    }
}
