import Catalog
import Foundation
import Imaging
import PipelineSupport
import TestSupport
import Testing

@testable import Pipeline

/// What a run over a list would do, before it does it.
@Suite(.timeLimit(.minutes(1))) struct ListForecastTests {
    @Test func `a forecast counts each picture once, and one that another item has not at all`()
        async throws
    {
        try await ListScene.with { scene in
            let warm = scene.harness.pipeline.warm
            try scene.write(
                scene.row("S1", "/1.jpg") + scene.row("S2", "/2.jpg") + scene.row("S3", "/1.jpg"))
            let before = try await warm.forecast(scene.run())
            #expect(before.items == 3 && before.missing == 2)
            #expect(before.requests == 2 && before.originals == 2 && before.thumbnails == 2)
            // Another item shows the first picture, and one that is gone.
            let urls = try ["/1.jpg", "/none.jpg"].map {
                try SignedURL.item(of: "https://\(Harness.imageHost)\($0)")
            }
            var request = try scene.run()
            request.scope = .items(urls)
            _ = try await warm.run(request)
            let after = try await warm.forecast(scene.run())
            #expect(after.items == 3 && after.missing == 1 && after.fresh == 2)
            #expect(after.requests == 1 && after.originals == 1 && after.thumbnails == 1)
            #expect(after.reused == 2)
            let summary = try await warm.run(scene.run())
            #expect(summary.requests == 1 && summary.originals == 1 && summary.thumbnails == 1)
            #expect(scene.asked("/1.jpg") == 1 && scene.asked("/2.jpg") == 1)
            try scene.write(scene.row("S4", "/none.jpg"))
            let gone = try await warm.forecast(scene.run())
            #expect(gone.placeholders == 1 && gone.requests == 0 && gone.missing == 0)
        }
    }

    @Test(arguments: [(404, 1, 0), (503, 0, 1)])
    func `a forecast knows what a failed refresh left of a picture that another item showed`(
        status: Int, placeholders: Int, reused: Int
    ) async throws {
        try await ListScene.with { scene in
            let warm = scene.harness.pipeline.warm
            try scene.write(scene.row("S1", "/1.jpg"))
            var urls = try scene.run()
            urls.scope = .items([try SignedURL.item(of: "https://\(Harness.imageHost)/1.jpg")])
            _ = try await warm.run(urls)
            scene.harness.clock.advance(by: 31 * 86_400)
            scene.harness.origin.on("/1.jpg", .status(status))
            _ = try await warm.run(urls)
            let asked = scene.asked("/1.jpg")
            let forecast = try await warm.forecast(scene.run())
            #expect(forecast.placeholders == placeholders && forecast.reused == reused)
            #expect(forecast.requests == 0 && forecast.missing == 0)
            _ = try await warm.run(scene.run())
            #expect(scene.asked("/1.jpg") == asked)
            #expect(try await scene.width("S1") == (reused == 1 ? 10 : nil))
        }
    }

    @Test func `a dry run asks a few origins for sizes, and tells what they said`() async throws {
        try await ListScene.with { scene in
            let pipeline = scene.harness.pipeline
            for id in 1...3 {
                scene.harness.origin.on("/\(id).jpg", host: Harness.imageHost) { request in
                    #expect(request.method == "HEAD")
                    return OriginReply(200, headers: [("Content-Length", "900\(id)")])
                }
            }
            scene.harness.origin.on("/4.jpg", .status(404))
            let rows = (1...4).map { scene.row("S\($0)", "/\($0).jpg") }.joined()
            try scene.write(rows)
            let request = try scene.run()
            let blind = try await pipeline.warm.forecast(request)
            #expect(blind.sample == nil && blind.basis == .nothing)
            let forecast = try await pipeline.warm.forecast(request, samples: true)
            let sample = try #require(forecast.sample)
            #expect((sample.asked, sample.sized, sample.absent) == (4, 3, 1))
            #expect(forecast.basis == .sample)
            #expect(sample.meanBytes == 9_002 && forecast.bytesFetched == 3 * 9_002)
            #expect(forecast.isUsual == true && forecast.bytesStored ?? 0 > 0)
        }
    }

    @Test func `a dry run asks for the first kilobyte where HEAD tells no size`() async throws {
        try await ListScene.with { scene in
            scene.harness.origin.on("/1.jpg", host: Harness.imageHost) { request in
                if request.method == "HEAD" { return .status(405) }
                #expect(request.header("range") == "bytes=0-1023")
                return OriginReply(
                    206, body: [UInt8](repeating: 0, count: 1_024),
                    headers: [("Content-Range", "bytes 0-1023/54321")])
            }
            try scene.write(scene.row("S1", "/1.jpg"))
            let warm = scene.harness.pipeline.warm
            let sample = try await warm.forecast(scene.run(), samples: true).sample
            #expect(sample?.sized == 1 && sample?.meanBytes == 54_321)
        }
    }

    @Test func `a dry run says why an origin told no size`() async throws {
        try await ListScene.with { scene in
            scene.harness.origin.on("/1.jpg", host: Harness.imageHost, .status(403))
            try scene.write(scene.row("S1", "/1.jpg"))
            let warm = scene.harness.pipeline.warm
            let sample = try await warm.forecast(scene.run(), samples: true).sample
            #expect(sample?.sized == 0 && sample?.reason == "An origin answered 403.")
        }
    }

    @Test func `a dry run asks the origins of at most 20 pictures, and names a smaller result`()
        async throws
    {
        try await ListScene.with { scene in
            for id in 1...25 {
                scene.harness.origin.on("/\(id).jpg", host: Harness.imageHost) { _ in
                    OriginReply(200, headers: [("Content-Length", "9000")])
                }
            }
            try scene.write((1...25).map { scene.row("S\($0)", "/\($0).jpg") }.joined())
            let forecast = try await scene.harness.pipeline.warm.forecast(
                scene.run(levels: ["xs", "s"]), samples: true)
            #expect(forecast.sample?.asked == 20)
            #expect(scene.harness.origin.log.requests.count == 20)
            let smaller = try #require(forecast.smaller)
            #expect(smaller.without == "level s")
            #expect(smaller.bytes < forecast.bytesStored ?? 0)
        }
    }
}
