import Catalog
import Folders
import Foundation
import Hashing
import Imaging
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

/// What the operator has blocked, through the whole pipeline.
@Suite(.timeLimit(.minutes(1))) struct BlockTests {
    private static let url = "https://\(Harness.imageHost)/original/1.jpg"
    private static let picture = FixtureImages.jpeg(width: 68, height: 100, seed: 1)
    private static let digest = "sha256-\(Digest(of: picture).hex)"

    private func harness() async throws -> Harness {
        let harness = try await Harness()
        for id in 1...3 {
            harness.serveShow(id, medium: nil)
            harness.origin.on(
                "/original/\(id).jpg",
                .jpeg(FixtureImages.jpeg(width: 68, height: 100, seed: UInt64(id))))
        }
        return harness
    }

    /// Returns the kind of failure in place of a show's picture; nil if it is shown.
    private func failure(_ harness: Harness, _ id: Int = 1) async throws -> Failure.Kind? {
        let answer = try await harness.picture(id)
        return answer.picture.isPlaceholder ? answer.picture.failure?.kind : nil
    }

    @Test(arguments: [
        "tvmaze/show/1", "tvmaze/show/1*", url, "HTTPS://STATIC.TVMAZE.COM/original/1.jpg", digest,
    ])
    func `a blocked picture is gone at once, and is not fetched again`(target: String) async throws
    {
        try await withHarness(harness()) { harness in
            #expect(try await failure(harness) == nil)
            #expect(try await failure(harness, 2) == nil)
            let receipt = try await harness.pipeline.blocking.block(target, reason: "Order 1")
            #expect(receipt.purge?.items == 1 && receipt.purge?.blobs ?? 0 > 1)
            let level = try harness.pipeline.level("m")
            #expect(
                harness.pipeline.pictures.hit(of: harness.item(1), level: level, format: .jpeg)
                    == nil)
            let asked = harness.origin.log.count("/original/1.jpg")
            for _ in 0..<2 { #expect(try await failure(harness) == .withheld) }
            #expect(harness.origin.log.count("/original/1.jpg") == asked)
            #expect(try await failure(harness, 2) == nil)
            await #expect(throws: Failure.self) { try await harness.original(1) }
            #expect(try await harness.pipeline.statistics().originals == 1)
            // Neither does a warm run.
            let made = try await harness.pipeline.pictures.ensure(harness.item(1), harness.levels)
            #expect(made.failure?.kind == .withheld)
            #expect(harness.origin.log.count("/original/1.jpg") == asked)
        }
    }

    @Test func `a block survives a purge of all and a restart, and ends when it is lifted`()
        async throws
    {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1)
            _ = try await harness.pipeline.blocking.block("tvmaze/show/1", reason: nil)
            _ = try await harness.pipeline.purge.run(.all)
            #expect(try await failure(harness) == .gone)
            try await harness.restart()
            #expect(try await failure(harness) == .gone)
            #expect(harness.origin.log.count("/original/1.jpg") == 1)
            _ = try await harness.pipeline.blocking.unblock("tvmaze/show/1")
            #expect(try await failure(harness) == nil)
            try await harness.restart()
            #expect(try await failure(harness) == nil)
            await #expect(throws: Failure.self) {
                try await harness.pipeline.blocking.unblock("tvmaze/show/1")
            }
        }
    }

    @Test(arguments: [url, digest])
    func `a lifted block of a URL or of bytes lets them be fetched`(target: String) async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.pipeline.blocking.block(target, reason: nil)
            #expect(try await failure(harness) == .gone)
            _ = try await harness.pipeline.blocking.unblock(target)
            #expect(try await failure(harness) == nil)
        }
    }

    @Test func `blocked bytes are not shown from another URL, nor in another size`() async throws {
        try await withHarness(Harness()) { harness in
            harness.serveShow(1)
            harness.serveShow(2)
            for path in ["/medium/1.jpg", "/original/2.jpg"] {
                harness.origin.on(path, .jpeg(Self.picture))
            }
            for path in ["/original/1.jpg", "/medium/2.jpg"] {
                harness.origin.on(path, .jpeg(FixtureImages.jpeg(width: 50, height: 80, seed: 9)))
            }
            _ = try await harness.pipeline.blocking.block(Self.digest, reason: "Order 1")
            // The original of show 1 would show the same thing.
            let small = try await harness.picture(1, "xs")
            #expect(small.picture.isPlaceholder && small.picture.failure?.kind == .withheld)
            #expect(harness.origin.log.count("/original/1.jpg") == 0)
            let large = try await harness.picture(2, "xl")
            #expect(large.picture.isPlaceholder)
            #expect(try await harness.pipeline.statistics().originals == 0)
        }
    }

    @Test func `the digest of a thumbnail blocks its original`() async throws {
        try await withHarness(harness()) { harness in
            let thumbnail = try await harness.picture(1).picture.facts.digest
            let receipt = try await harness.pipeline.blocking.block(
                "sha256-\(thumbnail.hex)", reason: nil)
            #expect(
                receipt.targets == ["sha256-\(thumbnail.hex)", Self.digest, "tvmaze/show/1"])
            #expect(try await failure(harness) == .gone)
            await #expect(throws: Failure.self) {
                try await harness.pipeline.pictures.blob(Digest(of: Self.picture))
            }
            _ = try await harness.pipeline.blocking.unblock("sha256-\(thumbnail.hex)")
            #expect(harness.pipeline.blocking.all.isEmpty)
            #expect(try await failure(harness) == nil)
        }
    }

    @Test func `an item that shows a blocked URL is blocked in all levels`() async throws {
        try await withHarness(Harness()) { harness in
            harness.serveShow(1)
            harness.origin.on("/medium/1.jpg", .jpeg(Self.picture))
            harness.origin.on(
                "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 680, height: 1_000, seed: 1)))
            for level in ["xs", "xl"] { _ = try await harness.picture(1, level) }
            let receipt = try await harness.pipeline.blocking.block(
                "https://\(Harness.imageHost)/medium/1.jpg", reason: nil)
            #expect(receipt.targets.last == "tvmaze/show/1")
            for level in ["xs", "xl"] {
                #expect(try await harness.picture(1, level).picture.failure?.kind == .gone)
            }
        }
    }

    @Test func `a chain that leads to a blocked item shows none of its pictures`() async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on("/shows/1/images", host: Harness.apiHost, .json("[]"))
            _ = try await harness.pipeline.blocking.block("tvmaze/show/1", reason: nil)
            let poster = try await harness.picture(1, kind: "poster")
            #expect(poster.picture.isPlaceholder && poster.picture.failure?.kind == .gone)
            #expect(harness.origin.log.count("/original/1.jpg") == 0)
        }
    }

    @Test func `a miss that began before a block shows nothing after it`() async throws {
        let gate = Gate()
        try await withHarness(Harness()) { harness async throws in
            harness.servePicture(1, until: gate)
            let picture = Task { try await harness.picture(1) }
            try await harness.origin.wait { $0.count("/original/1.jpg") == 1 }
            _ = try await harness.pipeline.blocking.block("tvmaze/show/1", reason: nil)
            gate.open()
            #expect(try await picture.value.picture.isPlaceholder)
            #expect(try await failure(harness) == .gone)
            let level = try harness.pipeline.level("m")
            #expect(
                harness.pipeline.pictures.hit(of: harness.item(1), level: level, format: .jpeg)
                    == nil)
            #expect(try await harness.pipeline.statistics().thumbnails == 0)
        }
    }

    @Test func `another process with the same cache notices a block`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1)
            try await withHarness(Harness(beside: harness)) { other in
                _ = try await other.pipeline.blocking.block("tvmaze/show/1", reason: "Order 1")
                await harness.pipeline.purge.follow()
                #expect(try await failure(harness) == .withheld)
                _ = try await other.pipeline.blocking.unblock("tvmaze/show/1")
                await harness.pipeline.purge.follow()
                #expect(try await failure(harness) == nil)
            }
        }
    }

    @Test func `a row of a list is blocked with the URL that it shows`() async throws {
        let directory = try TemporaryDirectory()
        let rows = ["S1", "S2"].map { "\($0),https://\(Harness.imageHost)/original/1.jpg\n" }
        try directory.write(Array(("sku,poster\n" + rows.joined()).utf8), to: "posters.csv")
        let list = ListDefinition(
            name: "posters", title: "Posters", place: directory.file("posters.csv"))
        try await withHarness(Harness(lists: [list])) { harness async throws in
            harness.origin.on("/original/1.jpg", .jpeg(Self.picture))
            let pipeline = harness.pipeline
            func kind(_ item: Item) async throws -> Failure.Kind? {
                try await pipeline.pictures.picture(
                    of: item, level: try pipeline.level("xs"), format: .jpeg
                ).picture.failure?.kind
            }
            let items = try ["S1", "S2"].map {
                try pipeline.item(source: "posters", kind: "picture", id: $0)
            }
            #expect(try await kind(items[0]) == nil)
            let receipt = try await pipeline.blocking.block("posters/picture/S1", reason: nil)
            #expect(receipt.targets == ["posters/picture/S1", Self.url])
            #expect(pipeline.pictures.knownPictured(items[0]) == nil)
            for item in items { #expect(try await kind(item) == .gone) }
            #expect(try await kind(try SignedURL.item(of: Self.url)) == .gone)
            #expect(harness.origin.log.count("/original/1.jpg") == 1)
            _ = try await pipeline.blocking.unblock("posters/picture/S1")
            for item in items { #expect(try await kind(item) == nil) }
        }
    }

    @Test func `blocked bytes of a file in a folder are not shown`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.picture, to: "a.jpg")
        let folder = Folder(name: "pics", title: "Pictures", path: directory.path)
        try await withHarness(Harness(folders: [folder])) { harness async throws in
            let pipeline = harness.pipeline
            let item = try pipeline.item(source: "pics", kind: "file", id: "a.jpg")
            _ = try await pipeline.blocking.block(Self.digest, reason: nil)
            let answer = try await pipeline.pictures.picture(
                of: item, level: try pipeline.level("xs"), format: .jpeg)
            #expect(answer.picture.failure?.kind == .gone)
            await #expect(throws: Failure.self) { try await pipeline.pictures.original(of: item) }
        }
    }

    @Test func `an explanation says that an item is blocked`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.pipeline.blocking.block(Self.url, reason: "Order 1")
            let explanation = try await harness.pipeline.pictures.explain(
                harness.item(1), resolving: false)
            #expect(explanation.block == nil)
            _ = try await harness.picture(1)
            let known = try await harness.pipeline.pictures.explain(
                harness.item(1), resolving: false)
            #expect(known.block?.target == Self.url && known.block?.reason == "Order 1")
        }
    }

    @Test func `what the file of the settings names is in force while it names it`() async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1)
            let blocking = harness.pipeline.blocking
            let entry = BlockEntry(text: "tvmaze/show/1", reason: "Order 1")
            try await blocking.take(file: [entry])
            #expect(try await harness.pipeline.statistics().originals == 0)
            #expect(try await failure(harness) == .withheld)
            await #expect(throws: Failure.self) { try await blocking.unblock("tvmaze/show/1") }
            // A source that is gone doesn't stop the others.
            try await blocking.take(file: [entry, BlockEntry(text: "gone/kind/1", reason: nil)])
            #expect(blocking.all.map(\.target) == ["tvmaze/show/1", "gone/kind/1"])
            try await blocking.take(file: [])
            #expect(try await failure(harness) == nil)
            // What was blocked by hand stays.
            _ = try await blocking.block("tvmaze/show/2", reason: nil)
            try await blocking.take(file: [BlockEntry(text: "tvmaze/show/2", reason: "other")])
            try await blocking.take(file: [])
            #expect(try await failure(harness, 2) == .gone)
        }
    }

    @Test(
        arguments: [
            ("tvmaze/show/007", "tvmaze/show/7"), ("tvmaze/show/*", "tvmaze/show/*"),
            ("tvmaze/show/1*", "tvmaze/show/1*"), ("https://A.example/x#y", "https://a.example/x"),
            (digest.uppercased().replacing("SHA256", with: "sha256"), digest),
            (String(digest.dropFirst(7)), digest), ("tvmaze/show", nil), ("tvmaze*", nil),
            ("nobody/show/1", nil), ("tvmaze/nothing/*", nil), ("sha256-12", nil), ("", nil),
            ("*", nil),
        ] as [(String, String?)])
    func `a block is named by an item, a URL, the beginning of items or a digest`(
        text: String, target: String?
    ) async throws {
        try await withHarness { harness in
            guard let target else {
                await #expect(throws: Failure.self) {
                    try await harness.pipeline.blocking.block(text, reason: nil)
                }
                return
            }
            let receipt = try await harness.pipeline.blocking.block(text, reason: nil)
            #expect(receipt.targets == [target])
        }
    }
}
