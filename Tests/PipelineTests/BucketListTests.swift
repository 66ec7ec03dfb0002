import Catalog
import Fetch
import Foundation
import Hashing
import Imaging
import Metrics
import Pipeline
import PipelineSupport
import TestSupport
import Testing

/// Lists of a bucket, and warm runs over them.
@Suite(.timeLimit(.minutes(1))) struct BucketListTests {
    private static let picture = FixtureImages.jpeg(width: 60, height: 40)

    private static func page(
        _ harness: Harness, _ list: String, _ parameters: [String: String] = [:]
    ) async throws -> PageAnswer {
        let source = try harness.pipeline.sources.named(PlayedBucket.name)
        return try await harness.pipeline.catalog.page(
            try source.query(list: list, parameters: parameters))
    }

    /// Returns the names of all pages, and the directories in them.
    private static func whole(
        _ harness: Harness, _ list: String, _ parameters: [String: String] = [:],
        forgetsLinks: Bool = false
    ) async throws -> (names: [String], directories: [String], pages: Int) {
        var found: (names: [String], directories: [String], pages: Int) = ([], [], 0)
        var next: PageAnswer? = try await page(harness, list, parameters)
        while let page = next {
            found.names += page.items.map(\.entry.item.id)
            found.directories += page.directories ?? []
            found.pages += 1
            guard var query = page.next else { break }
            if forgetsLinks { query.link = nil }
            next = try await harness.pipeline.catalog.page(query)
        }
        return found
    }

    private static func filled() async throws -> (PlayedBucket, Harness) {
        let bucket = try await PlayedBucket.start()
        for key in [
            "1.jpg", "2 b+c.PNG", "notes.txt", "plain", ".hidden.jpg", "empty.jpg", "a/", "a/1.jpg",
            "a/b/2.webp", "a/b/c/3.avif", "a//4.jpg", "z/5.jpg",
        ] {
            bucket[key] = key == "empty.jpg" || key == "a/" ? [] : picture
        }
        bucket.addOutside("shop/outside.jpg", picture)
        return (bucket, try await Harness(sources: [bucket.source()]))
    }

    @Test func `a list has the pictures of a directory, and the directories in it`() async throws {
        let (bucket, harness) = try await Self.filled()
        try await withHarness(harness) { harness async throws in
            let root = try await Self.page(harness, "files")
            #expect(root.items.map(\.entry.item.id) == ["1.jpg", "2 b+c.PNG", "plain"])
            #expect(root.directories == ["a", "z"] && root.next == nil)
            #expect(root.items[0].entry.date == "2015-10-21")
            let inner = try await Self.page(harness, "files", ["dir": "a/"])
            #expect(inner.items.map(\.entry.item.id) == ["a/1.jpg"])
            #expect(inner.directories == ["a//", "a/b"])
            let unnamed = try await Self.page(harness, "files", ["dir": "a//"])
            #expect(unnamed.items.map(\.entry.item.id) == ["a//4.jpg"])
            let tree = try await Self.page(harness, "tree", ["dir": "a"])
            #expect(
                tree.items.map(\.entry.item.id)
                    == ["a//4.jpg", "a/1.jpg", "a/b/2.webp", "a/b/c/3.avif"])
            await #expect(throws: Failure.self) {
                try await Self.page(harness, "files", ["dir": "none"])
            }
            #expect(Set(bucket.asked) == ["LIST"] && bucket.asked.count == 5)
        }
    }

    @Test(arguments: [
        ["dir": "../x"], ["dir": "a/.."], ["dir": "a", "after": "b/1.jpg"], ["sort": "time"],
        ["dir": ".git"], ["after": "a/../../x"],
    ])
    func `a list is only of what is below the prefix`(parameters: [String: String]) async throws {
        let (bucket, harness) = try await Self.filled()
        try await withHarness(harness) { harness async throws in
            await #expect(throws: Failure.self) {
                try await Self.page(harness, "files", parameters)
            }
            #expect(bucket.asked.isEmpty)
        }
    }

    @Test(arguments: ["tokens", "no tokens", "links are lost"])
    func `pages follow each other without a gap or a repetition`(way: String) async throws {
        let bucket = try await PlayedBucket.start()
        var names: [String] = []
        for number in 0..<260 {
            names.append(String(format: "%03d.jpg", number))
            bucket[names[number]] = Self.picture
            bucket[String(format: "d%03d/x.jpg", number)] = Self.picture
        }
        if way == "no tokens" { bucket.forgetTokens() }
        try await withHarness(Harness(sources: [bucket.source()])) { harness async throws in
            let files = try await Self.whole(
                harness, "files", forgetsLinks: way == "links are lost")
            #expect(files.names == names && files.pages == 6)
            #expect(files.directories == (0..<260).map { String(format: "d%03d", $0) })
            let tree = try await Self.whole(harness, "tree", forgetsLinks: way == "links are lost")
            #expect(tree.names.count == 520 && Set(tree.names).count == 520)
        }
    }

    @Test func `a list that begins again ends with a sentence`() async throws {
        let bucket = try await PlayedBucket.start()
        for number in 0..<250 { bucket[String(format: "%03d.jpg", number)] = Self.picture }
        bucket.repeatPages()
        try await withHarness(Harness(sources: [bucket.source()])) { harness async throws in
            let error = await #expect(throws: Failure.self) {
                _ = try await Self.whole(harness, "tree")
            }
            #expect(error?.reason == "The list of the bucket of “posters” goes back.")
            #expect(error?.kind == .sourceUnavailable)
        }
    }

    @Test func `an answer that is no list is a sentence`() async throws {
        let bucket = try await PlayedBucket.start()
        bucket.fault("", .html("<html>Welcome</html>"))
        try await withHarness(Harness(sources: [bucket.source()])) { harness async throws in
            let error = await #expect(throws: Failure.self) {
                _ = try await Self.page(harness, "files")
            }
            #expect(error?.reason == "The endpoint of “posters” doesn't answer like S3.")
        }
    }

    @Test func `a warm run of a bucket makes one GET an object and no HEAD`() async throws {
        let bucket = try await PlayedBucket.start()
        for number in 0..<120 { bucket[String(format: "%03d.jpg", number)] = Self.picture }
        let registry = MetricRegistry()
        let metrics = PipelineMetrics(registry)
        let harness = try await Harness(metrics: metrics, sources: [bucket.source(metrics)])
        try await withHarness(harness) { harness async throws in
            let source = try harness.pipeline.sources.named(PlayedBucket.name)
            var run = WarmRequest(
                .pages([try source.query(list: "tree", parameters: [:])], following: true),
                renditions: harness.levels, concurrency: 4)
            run.source = PlayedBucket.name
            let summary = try await harness.pipeline.warm.run(run)
            #expect(summary.items == 120 && summary.failed == 0)
            var use = BucketUse()
            (use.gets, use.lists) = (120, 2)
            use.bytes = summary.buckets?["posters"]?.bytes ?? 0
            #expect(summary.buckets == ["posters": use])
            #expect(use.bytes > 120 * Self.picture.count)
            #expect(bucket.asked.filter { $0.hasPrefix("GET") }.count == 120)
            // Thumbnails only.
            let digest = Digest(of: Self.picture)
            await #expect(throws: Failure.self) { try await harness.pipeline.pictures.blob(digest) }
            let again = try await harness.pipeline.warm.run(run)
            #expect(again.buckets?["posters"]?.gets == 0)
            let text = String(decoding: registry.text.bytes, as: UTF8.self)
            #expect(
                text.contains(
                    """
                    vitrine_bucket_requests_total{folder="posters",operation="get",status="200"} 120
                    """))
            #expect(text.contains("vitrine_bucket_bytes_total{folder=\"posters\"} "))
        }
    }

    @Test func `neither failures nor requests show the secret key`() async throws {
        let (bucket, harness) = try await Self.filled()
        try await withHarness(harness) { harness async throws in
            bucket.fault("1.jpg", PlayedBucket.error(403, "AccessDenied"))
            let item = Item(source: PlayedBucket.name, kind: "file", id: "1.jpg")
            let answer = try await harness.pipeline.pictures.picture(
                of: item, level: try harness.pipeline.level("m"), format: .jpeg)
            let explanation = try await harness.pipeline.pictures.explain(item, resolving: false)
            let source = try harness.pipeline.sources.named(PlayedBucket.name)
            var dumped = ""
            dump(source, to: &dumped)
            for text in ["\(answer)", "\(explanation)", "\(source)", dumped, bucket.sentFields] {
                #expect(!text.contains(PlayedBucket.secret))
            }
            #expect(!"\(answer)\(explanation)".contains("127.0.0.1"))
        }
    }
}
