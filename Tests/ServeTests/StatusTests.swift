import Catalog
import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct StatusTests {
    @Test func `the status has counts and missing credentials, and no secrets`() async throws {
        try await withHarness { harness in
            let answer = await ask(harness, "/v1/status")
            #expect(answer.status == .ok && answer.fields[.cacheControl] == "no-store")
            let status = try json(answer)
            #expect(
                Set(status.keys) == [
                    "hitRatio", "hitRatioSeconds", "requests", "requestsPerSecond", "disk",
                    "memory", "warming",
                    "sources",
                ])
            #expect(status["hitRatio"] is NSNull)
            #expect((status["warming"] as? [Any])?.isEmpty == true)
            let sources = try #require(status["sources"] as? [[String: Any]])
            #expect(
                Set(sources.compactMap { $0["name"] as? String })
                    == Set(harness.pipeline.sources.all.map(\.name)))
        }
    }

    @Test func `the status is sent as events, which end with the service`() async throws {
        try await withHarness { harness in
            let responder = Responder(harness.pipeline, ServerConfiguration())
            let answer = await responder.answer(
                Request(
                    method: .get, target: "/v1/status", fields: [.accept: "text/event-stream"]))
            #expect(answer.fields[.contentType] == "text/event-stream")
            let events = try #require(answer.events)
            var count = 0
            for await piece in events() {
                #expect(String(decoding: piece, as: UTF8.self).hasPrefix("event: status\ndata: {"))
                count += 1
                responder.endEvents()
            }
            #expect(count >= 1)
        }
    }

    @Test(arguments: [
        // Seconds and count of each sample, and the rate at the last.
        ([(0.0, 0), (1.0, 50)], 50.0), ([(0.0, 0), (0.1, 50)], 0.0),
        ([(0.0, 0), (1.0, 50), (2.0, 50)], 25.0),
        ([(0.0, 0), (100.0, 1_000), (111.0, 1_000), (112.0, 1_012)], 1.0),
    ])
    func `the rate is that of the last ten seconds`(
        samples: [(Double, Int)], expected: Double
    ) {
        let start = ContinuousClock.now
        let recent = RecentRequests(at: start)
        let rates = samples.map { seconds, count in
            recent.add((count, 0, 0), at: start.advanced(by: .seconds(seconds))).requestsPerSecond
        }
        #expect(abs((rates.last ?? -1) - expected) < 0.001)
    }

    @Test func `the hit ratio is that of the last minutes`() {
        let start = ContinuousClock.now
        let recent = RecentRequests(at: start)
        func ratio(_ pictures: Int, _ hits: Int, at seconds: Int) -> RecentRequests.Recent {
            recent.add((pictures, pictures, hits), at: start.advanced(by: .seconds(seconds)))
        }
        #expect(ratio(0, 0, at: 1).hitRatio == nil)
        #expect(ratio(100, 10, at: 100).hitRatio == 0.1)
        #expect(ratio(100, 10, at: 200).hitRatio == 0.1)
        let later = ratio(200, 100, at: 450)
        // Since the look at second 100.
        #expect(later.hitRatio == 0.9 && later.seconds == 350)
    }

    @Test func `a warm run is named for people while it lasts, with its source and list`()
        async throws
    {
        try await withHarness { harness in
            let gate = Gate()
            for id in 1...2 { harness.servePicture(id, until: gate) }
            harness.origin.on(
                "/shows", host: Harness.apiHost,
                .json("[\(Harness.show(1, medium: nil)),\(Harness.show(2, medium: nil))]"))
            let plan = try WarmPlan(
                source: "tvmaze", list: "shows", words: [], pages: "0", of: harness.pipeline)
            let run = plan.request(renditions: harness.levels, concurrency: 2)
            async let summary = harness.pipeline.warm.run(run)
            try await harness.origin.wait { $0.count("/original/2.jpg") == 1 }
            func warming() async throws -> [[String: Any]] {
                let answer = await ask(harness, "/v1/status")
                return try #require(try json(answer)["warming"] as? [[String: Any]])
            }
            let now = try #require(try await warming().first)
            #expect(now["name"] as? String == "tvmaze shows --pages 0")
            #expect(now["title"] as? String == "TV shows")
            #expect(now["source"] as? String == "tvmaze" && now["list"] as? String == "shows")
            #expect(now["done"] as? Int == 0 && now["total"] as? Int == 2)
            #expect(now["perSecond"] != nil)
            gate.open()
            #expect(try await summary.items == 2)
            #expect(try await warming().isEmpty)
        }
    }
}
