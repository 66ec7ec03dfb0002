import Foundation
import Hashing
import Imaging
import Memory
import Pipeline
import PipelineSupport
import PlayedAPIs
import Serve
import Store
import TestSupport
import Testing

/// Originals, blobs and contact sheets that are answered as hits.
@Suite(.timeLimit(.minutes(1))) struct BlobHitTests {
    private static let original = "/o/tvmaze/show/1"
    private static let sheet = "/sheet/xs/tvmaze/shows"

    private func withServer(
        _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (Harness, RunningServer) async throws -> Void
    ) async throws {
        try await withHarness(HitSite.harness()) { harness in
            // The original is that of the largest level.
            _ = try await harness.pipeline.pictures.original(of: harness.item(1))
            try await RunningServer.with(harness.pipeline, adjust) { running in
                try await body(harness, running)
            }
        }
    }

    /// The path of a stored thumbnail's blob.
    private func blobPath(_ harness: Harness) async throws -> String {
        "/b/\(try await harness.picture(1, "m", .webp).picture.digest)"
    }

    @Test func `a hit is what a responder answers`() async throws {
        try await withServer { harness, running in
            let show = Harness.show(1, medium: nil, original: "")
            harness.origin.on("/shows", host: Harness.apiHost) { request in
                request.query == "page=0"
                    ? .json("[\(show)]") : .json(TVMazeProblem.notFound.json.text, status: 404)
            }
            let thumbnail = try await blobPath(harness)
            // Drawn by the first request.
            _ = try await ask(running, Self.sheet + ".webp")
            for path in [
                Self.original, thumbnail, thumbnail + ".webp", Self.original + "?x=1", Self.sheet,
                Self.sheet + ".jpg?page=0",
            ] {
                let tag = try #require(
                    try await ask(running, path, "X-Odd: 1\r\n").answer.fields["etag"])
                for (fields, method) in [
                    ("", "GET"), ("", "HEAD"), ("Range: bytes=5-9\r\n", "GET"),
                    ("Range: bytes=-3\r\nIf-Range: \(tag)\r\n", "GET"),
                    ("Range: bytes=0-\r\nIf-Range: \"x\"\r\n", "GET"),
                    ("Range: bytes=5-9\r\n", "HEAD"), ("If-None-Match: \(tag)\r\n", "GET"),
                    ("If-None-Match: \(tag)\r\n", "HEAD"), ("Connection: close\r\n", "GET"),
                ] {
                    let direct = try await ask(running, path, fields, method: method)
                    let wayRound = try await ask(
                        running, path, "X-Odd: 1\r\n" + fields, method: method)
                    #expect(direct.answer == wayRound.answer, "\(method) \(path) \(fields)")
                    #expect(direct.isFast && !wayRound.isFast, "\(method) \(path) \(fields)")
                }
            }
        }
    }

    @Test(arguments: [
        "Range: bytes=0-1,4-5\r\n", "Range: bytes=99999999-\r\n", "If-None-Match: \"x\"\r\n",
        "If-Match: \"x\"\r\n",
    ])
    func `responders have the other rules`(fields: String) async throws {
        try await withServer { _, running in
            let plain = try await ask(running, Self.original)
            let other = try await ask(running, Self.original, fields)
            #expect(plain.isFast && !other.isFast)
        }
    }

    @Test(arguments: [
        "/o/tvmaze/show/99", "/o/none/show/1", "/b/sha256-00",
        "/b/sha256-\(String(repeating: "0", count: 64))",
        "/o/tvmaze/show/%", "/sheet/none/tvmaze/shows", "/sheet/xs/tvmaze/shows.png",
    ])
    func `what is not stored is answered as before`(path: String) async throws {
        try await withServer { _, running in
            let direct = try await ask(running, path)
            let wayRound = try await ask(running, path, "X-Odd: 1\r\n")
            #expect(direct.answer == wayRound.answer && !direct.isFast)
            #expect(direct.answer.status >= 400)
        }
    }

    @Test func `a damaged file is not sent, and a small blob that was read is`() async throws {
        try await withServer { harness, running in
            let path = try await blobPath(harness)
            let thumbnail = try await ask(running, path)
            let original = try await ask(running, Self.original)
            #expect(thumbnail.isFast && original.isFast)
            #expect(original.answer.body == HitSite.original && original.answer.body.count > 65_536)
            let digest = try #require(original.answer.fields["etag"]).filter { $0 != "\"" }
            try harness.damage(
                try #require(Digest(hex: String(digest.dropFirst("sha256-".count)))))
            try harness.damage(try await harness.picture(1, "m", .webp).picture.digest)
            let damaged = try await ask(running, "/b/\(digest)")
            #expect(damaged.answer.status == 404 && !damaged.isFast)
            let fetched = harness.origin.log.count("/original/1.jpg")
            #expect(try await ask(running, Self.original).answer.body == HitSite.original)
            #expect(harness.origin.log.count("/original/1.jpg") == fetched + 1)
            // Its bytes were verified, and are in memory for a second.
            #expect(try await ask(running, path).answer == thumbnail.answer)
            harness.clock.advance(by: 2)
            #expect(try await ask(running, path).answer.status == 404)
        }
    }

    @Test(arguments: ["item", "all"])
    func `after a purge the store is asked again`(what: String) async throws {
        try await withServer { harness, running in
            #expect(
                try await ask(running, Self.original).answer.fields["cache-status"]
                    == "vitrine; hit")
            _ = try await harness.pipeline.purge.run(
                what == "item" ? .item(harness.item(1)) : .all)
            let fetched = harness.origin.log.count("/original/1.jpg")
            let purged = try await ask(running, Self.original)
            #expect(purged.answer.fields["cache-status"]?.contains("miss") == true)
            #expect(harness.origin.log.count("/original/1.jpg") == fetched + 1)
        }
    }

    @Test func `a stale original is sent once more, and refreshed`() async throws {
        try await withServer { harness, running in
            let old = try await ask(running, Self.original)
            let newer = FixtureImages.jpeg(width: 680, height: 1000, seed: 2)
            harness.origin.on("/original/1.jpg", .jpeg(newer, maxAge: 100, tag: "b"))
            harness.clock.advance(by: 130)
            let stale = try await ask(running, Self.original)
            #expect(stale.isFast && stale.answer.body == old.answer.body)
            #expect(stale.answer.fields["cache-status"] == "vitrine; fwd=stale")
            #expect(stale.answer.fields["age"] == "30")
            await eventually { harness.origin.log.count("/original/1.jpg") == 2 }
            // Its successor shows without the second being over.
            var fresh = stale
            while fresh.answer.body == old.answer.body {
                fresh = try await ask(running, Self.original)
                try Task.checkCancellation()
            }
            #expect(fresh.answer.body == newer)
            #expect(fresh.answer.fields["cache-status"] == "vitrine; hit")
        }
    }

    @Test func `a response is made again once a second`() async throws {
        try await withServer { harness, running in
            let first = try await ask(running, Self.original).answer
            #expect(first.fields["cache-control"]?.hasPrefix("public, max-age=100,") == true)
            harness.clock.advance(by: 10)
            let later = try await ask(running, Self.original)
            #expect(later.isFast)
            #expect(later.answer.fields["cache-control"]?.hasPrefix("public, max-age=90,") == true)
        }
    }

    @Test func `a response without a body is looked up once a second, and keeps no other`()
        async throws
    {
        try await withServer { harness, running in
            let path = try await blobPath(harness)
            let head = try await ask(running, path, method: "HEAD")
            #expect(head.isFast && head.answer.status == 200)
            // Its bytes are not compared.
            try harness.damage(try await harness.picture(1, "m", .webp).picture.digest)
            let again = try await ask(running, path, method: "HEAD")
            #expect(again.isFast && again.answer == head.answer)
            #expect(try await ask(running, path).answer.status == 404)
            let original = try await ask(running, Self.original)
            #expect(try await ask(running, Self.original, method: "HEAD").isFast)
            let whole = try await ask(running, Self.original)
            #expect(whole.isFast && whole.answer == original.answer)
        }
    }

    @Test func `blobs are counted by their routes`() async throws {
        try await withServer { harness, running in
            let tag = try #require(
                try await ask(running, Self.original).answer.fields["etag"])
            for fields in ["", "Range: bytes=0-0\r\n", "If-None-Match: \(tag)\r\n"] {
                #expect(try await ask(running, Self.original, fields).isFast)
            }
            let path = try await blobPath(harness)
            _ = try await ask(running, path)
            let text = String(
                decoding: try await ask(running, "/metrics").answer.body, as: UTF8.self)
            for (route, status, count) in [
                ("/o/", 200, 2), ("/o/", 206, 1), ("/o/", 304, 1), ("/b/", 200, 1),
            ] {
                #expect(
                    text.contains(
                        "vitrine_http_requests_total{cache=\"hit\",route=\"\(route)\",status=\"\(status)\"} \(count)\n"
                    ))
            }
            #expect(
                text.contains(
                    "vitrine_http_request_seconds_count{cache=\"hit\",route=\"/o/\"} 4\n"))
        }
    }

    @Test func `without room for its bytes a blob is sent from its file`() async throws {
        try await withServer({ $0.responseBytes = 0 }) { harness, running in
            let path = try await blobPath(harness)
            // From its file.
            #expect(try await ask(running, path).isFast)
        }
    }
}
