import Catalog
import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct StatusTests {
    private func json(_ answer: Response) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    @Test func `the status has counts and missing credentials, and no secrets`() async throws {
        try await withHarness { harness in
            let responder = Responder(harness.pipeline, ServerConfiguration())
            let answer = await responder.answer(
                Request(method: .get, target: "/v1/status", fields: [:]))
            #expect(answer.status == .ok && answer.fields[.cacheControl] == "no-store")
            let status = try json(answer)
            #expect(
                Set(status.keys) == [
                    "hitRatio", "requests", "requestsPerSecond", "disk", "memory", "warming",
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
            for await piece in events.pieces() {
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
        let start = Date(timeIntervalSince1970: 1_000)
        let pace = RequestPace(at: start)
        let rates = samples.map { pace.rate(of: $0.1, at: start.addingTimeInterval($0.0)) }
        #expect(abs((rates.last ?? -1) - expected) < 0.001)
    }
}
