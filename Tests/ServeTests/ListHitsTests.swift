import Catalog
import HTTP
import Imaging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Rows of a list, answered without a responder.
@Suite(.timeLimit(.minutes(1))) struct ListHitsTests {
    private let directory: TemporaryDirectory
    private let harness: Harness

    init() async throws {
        directory = try TemporaryDirectory()
        harness = try await Harness(lists: [
            ListDefinition(name: "posters", title: "Posters", place: directory.file("posters.csv"))
        ])
        for (path, width) in [("/1.jpg", 10), ("/2.jpg", 20)] {
            harness.origin.on(
                path,
                .jpeg(FixtureImages.jpeg(width: width, height: 60, seed: 1), maxAge: 1_000))
        }
    }

    private func list(_ rows: [(id: String, path: String)]) throws {
        let lines = rows.map { "\($0.id),https://\(Harness.imageHost)\($0.path)\n" }.joined()
        try directory.write(Array("sku,poster\n\(lines)".utf8), to: "posters.csv")
    }

    private func make(_ id: String) async throws {
        let pipeline = harness.pipeline
        _ = try await pipeline.pictures.picture(
            of: try pipeline.item(source: "posters", kind: "picture", id: id),
            level: try pipeline.level("xs"), format: .webp)
    }

    @Test func `a known row is a hit until the list changes`() async throws {
        try await withHarness(harness) { harness async throws in
            var hits = HitLookup(PipelineHits(harness.pipeline, bodyBytes: 0))
            func length(_ id: String) -> Int? {
                defer { hits.settle() }
                let lines = ["GET /t/xs/posters/picture/\(id) HTTP/1.1", "Host: a"]
                let head = (lines + ["Accept: image/webp", "", ""]).joined(separator: "\r\n")
                return Array(head.utf8).withUnsafeBytes { bytes in
                    guard case .plain(let request) = RequestScan(bytes) else { return nil }
                    return hits.answer(request, bytes, at: hits.now())?.bodySize
                }
            }
            try list([("S1", "/1.jpg"), ("S2", "/2.jpg")])
            #expect(length("S1") == nil)
            try await make("S1")
            try await make("S2")
            let (first, second) = try (#require(length("S1")), #require(length("S2")))
            #expect(first != second)
            #expect(length("S3") == nil)
            try list([("S2", "/1.jpg"), ("S3", "/2.jpg")])
            #expect(length("S1") == nil && length("S2") == nil)
            try await make("S2")
            #expect(length("S2") == first)
            #expect(length("S3") == nil)
            #expect(hits.count == 0)
        }
    }

    @Test func `the original of a known row is a hit until the list changes`() async throws {
        try await withHarness(harness) { harness async throws in
            try list([("S1", "/1.jpg")])
            try await RunningServer.with(harness.pipeline) { running in
                let path = "/o/posters/picture/S1"
                let made = try await ask(running, path)
                #expect(!made.isFast && made.answer.status == 200)
                let hit = try await ask(running, path)
                #expect(hit.isFast && hit.answer.body == made.answer.body)
                try list([("S1", "/2.jpg")])
                let other = try await ask(running, path)
                #expect(!other.isFast && other.answer.body != made.answer.body)
                #expect(try await ask(running, path).isFast)
            }
        }
    }

    @Test(arguments: [
        ("/v1/posters/pictures", "\"title\":\"S1\""), ("/v1/posters/picture/S1", "/t/xs/"),
        ("/sheet/xs/posters/pictures.json", "posters/picture/S1"),
        ("/sheet/xs/posters/pictures.webp", nil),
        ("/iiif/3/posters%2Fpicture%2FS1/info.json", "ImageService3"),
        ("/iiif/3/posters%2Fpicture%2FS1/full/max/0/default.jpg", nil),
        ("/iiif/presentation/3/posters/pictures", "\"Collection\""),
        ("/v1/explain/posters/picture/S1", "\"label\":\"list\""), ("/", "posters"),
    ])
    func `a list is shown like a catalog`(path: String, text: String?) async throws {
        try await withHarness(harness) { harness async throws in
            try list([("S1", "/1.jpg"), ("S2", "/2.jpg")])
            // An explanation is only for clients that may use the favorites.
            try await RunningServer.with(harness.pipeline, { $0.userData = .open }) { running in
                let answer = try await ask(running, path).answer
                let body = String(decoding: answer.body, as: UTF8.self)
                #expect(answer.status == 200, "\(body)")
                if let text { #expect(body.contains(text), "\(body)") }
            }
        }
    }
}
