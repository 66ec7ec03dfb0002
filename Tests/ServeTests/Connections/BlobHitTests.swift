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
        "/b/\(try await harness.picture(1, "m", .webp).picture.facts.digest)"
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
            try harness.damage(try await harness.picture(1, "m", .webp).picture.facts.digest)
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

    @Test func `a response without a body is looked up once a second, and keeps no other`()
        async throws
    {
        try await withServer { harness, running in
            let path = try await blobPath(harness)
            let head = try await ask(running, path, method: "HEAD")
            #expect(head.isFast && head.answer.status == 200)
            // Its bytes are not compared.
            try harness.damage(try await harness.picture(1, "m", .webp).picture.facts.digest)
            let again = try await ask(running, path, method: "HEAD")
            #expect(again.isFast && again.answer == head.answer)
            #expect(try await ask(running, path).answer.status == 404)
            let original = try await ask(running, Self.original)
            #expect(try await ask(running, Self.original, method: "HEAD").isFast)
            let whole = try await ask(running, Self.original)
            #expect(whole.isFast && whole.answer == original.answer)
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
