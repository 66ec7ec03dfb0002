import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct AVIFNegotiationTests {
    private static let browser = "Accept: image/avif,image/webp,image/*,*/*;q=0.8\r\n"

    private func types(_ running: RunningServer, _ fields: String) async throws -> [String?] {
        // Twice as a hit, and once by a responder.
        let answers = try await running.ask([
            request(HitSite.path, fields), request(HitSite.path, fields),
            request(HitSite.path, "X-Odd: 1\r\n" + fields),
        ])
        #expect(answers.allSatisfy { $0.fields["vary"] == "Accept" })
        return answers.map { $0.fields["content-type"] }
    }

    /// Memory for all pictures, and for none.
    @Test(arguments: [64 << 20, 100])
    func `AVIF reaches clients that name it, as soon as it is stored`(bytes: Int) async throws {
        let harness = try await Harness(configure: { $0.hitBytes = bytes })
        try await withHarness(harness) { harness async throws in
            harness.serveShow(1, medium: nil)
            harness.origin.on("/original/1.jpg", .jpeg(HitSite.original, maxAge: 100))
            for format in [ThumbnailFormat.webp, .jpeg] {
                _ = try await harness.picture(1, "m", format)
            }
            try await RunningServer.with(harness.pipeline) { running async throws in
                #expect(
                    try await types(running, Self.browser)
                        == ["image/webp", "image/webp", "image/webp"])
                _ = try await harness.picture(1, "m", .avif)
                for _ in 0..<2 {
                    for (fields, type) in [
                        (Self.browser, "image/avif"), ("", "image/webp"),
                        ("Accept: image/webp,*/*\r\n", "image/webp"),
                        ("Accept: image/jpeg\r\n", "image/jpeg"),
                        ("Accept: image/avif;q=0.1,image/webp\r\n", "image/webp"),
                        ("Accept: image/avif,image/jpeg\r\n", "image/avif"),
                    ] {
                        #expect(try await types(running, fields) == [type, type, type])
                    }
                }
            }
            // After a restart it is found on disk.
            try await harness.restart()
            try await RunningServer.with(harness.pipeline) { running async throws in
                #expect(
                    try await types(running, Self.browser)
                        == ["image/avif", "image/avif", "image/avif"])
            }
        }
    }

    /// Memory for all pictures, and for none.
    @Test(arguments: [64 << 20, 100])
    func `an AVIF that another process has stored takes the place of a WebP in use`(bytes: Int)
        async throws
    {
        let harness = try await Harness(configure: { $0.hitBytes = bytes })
        try await withHarness(harness) { harness async throws in
            harness.serveShow(1, medium: nil)
            harness.origin.on("/original/1.jpg", .jpeg(HitSite.original, maxAge: 100))
            _ = try await harness.picture(1, "m", .webp)
            try await RunningServer.with(harness.pipeline) { running async throws in
                func type(_ fields: String) async throws -> String? {
                    try await running.ask([request(HitSite.path, fields)]).first?
                        .fields["content-type"]
                }
                #expect(try await type(Self.browser) == "image/webp")
                try await withHarness(Harness(beside: harness)) { other in
                    _ = try await other.picture(1, "m", .avif)
                }
                // What the service does every second.
                await harness.pipeline.pictures.followAVIFs()
                let before = running.server.counts.hits
                #expect(try await type(Self.browser) == "image/webp")
                #expect(running.server.counts.hits == before + 1)
                try await eventually { try await type(Self.browser) == "image/avif" }
                #expect(try await type("Accept: image/webp\r\n") == "image/webp")
            }
        }
    }
}
