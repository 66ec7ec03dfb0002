import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Pictures that their origin allows only private caches to keep.
@Suite(.timeLimit(.minutes(1))) struct PrivatePicturesTests {
    private static let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)

    private func harness(honorsPrivate: Bool) async throws -> Harness {
        let harness = try await Harness(configure: { $0.freshness.honorsPrivate = honorsPrivate })
        harness.serveShow(1, medium: nil)
        harness.origin.on(
            "/original/1.jpg",
            .ok(Self.original, type: "image/jpeg", headers: [("Cache-Control", "private")]))
        return harness
    }

    /// The control of each address of a picture; the last two are those of its bytes.
    private func controls(_ harness: Harness) async throws -> [String] {
        let thumbnail = "/t/m/tvmaze/show/1"
        var found: [String] = []
        var bytes: [String] = []
        // The first of the same address is a miss, the second a hit.
        for target in [thumbnail, thumbnail, "/o/tvmaze/show/1"] {
            let answer = await ask(harness, target)
            #expect(answer.status == .ok)
            found.append(try #require(answer.fields[.cacheControl]))
            let tag = try #require(answer.fields[.eTag]).filter { $0 != "\"" }
            if !bytes.contains("/b/\(tag)") { bytes.append("/b/\(tag)") }
        }
        #expect(bytes.count == 2)
        for target in bytes {
            found.append(try #require(await ask(harness, target).fields[.cacheControl]))
        }
        return found
    }

    @Test func `a private picture is public at none of its addresses`() async throws {
        try await withHarness(harness(honorsPrivate: true)) { harness async throws in
            let bytes = "private, max-age=31536000, immutable"
            #expect(
                try await controls(harness)
                    == Array(repeating: "private, no-cache", count: 3) + [bytes, bytes])
        }
    }

    @Test func `pictures of a source that says private by mistake are public`() async throws {
        try await withHarness(harness(honorsPrivate: false)) { harness async throws in
            #expect(try await controls(harness).allSatisfy { $0.hasPrefix("public, max-age=") })
        }
    }
}
