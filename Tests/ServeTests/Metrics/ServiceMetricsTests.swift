import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

@Suite struct ServiceMetricsTests {
    @Test func `metrics tell of requests, fetches, renders and the process`() async throws {
        let registry = MetricRegistry()
        let harness = try await Harness(metrics: PipelineMetrics(registry))
        harness.serveShow(1, medium: nil)
        harness.origin.on(
            "/original/1.jpg",
            .ok(FixtureImages.jpeg(width: 68, height: 100), type: "image/jpeg"))
        harness.serveShow(2, medium: nil)
        harness.origin.on("/original/2.jpg", .html("<html></html>"))
        var configuration = ServerConfiguration()
        configuration.metrics = registry
        configuration.version = "1.2"
        let responder = Responder(harness.pipeline, configuration)
        func ask(_ target: String) async -> Answer {
            await responder.answer(Question(method: .get, target: target, fields: [:]))
        }
        let cold = await ask("/t/s/tvmaze/show/1")
        responder.metrics.requests.count(path: "/t/s/tvmaze/show/1", cold, .milliseconds(20))
        _ = await ask("/t/s/tvmaze/show/2")
        let answer = await ask("/metrics")
        #expect(answer.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        for expected in [
            #"vitrine_http_requests_total{cache="miss",route="/t/",status="200"} 1"#,
            #"vitrine_fetch_requests_total{host="static.tvmaze.com",status="200"} 2"#,
            #"vitrine_fetch_attempts_total{host="api.tvmaze.com"} 2"#,
            #"vitrine_render_seconds_count{format="jpeg"} 1"#,
            #"vitrine_render_queue_seconds_count 1"#,
            #"vitrine_render_failures_total{reason="not-an-image"} 1"#, "vitrine_renders_total 2",
            "vitrine_walks 0", #"vitrine_render_waiting{lane="slow"} 0"#,
            "vitrine_render_overdue 0",
            "vitrine_store_heals_total 0", #"vitrine_build_info{version="1.2"} 1"#,
            "vitrine_store_originals 1",
        ] {
            #expect(lines.contains { $0 == expected }, "\(expected)")
        }
        for name in ["process_resident_memory_bytes", "process_open_fds"] {
            #expect(lines.contains { $0.hasPrefix(name + " ") && !$0.hasSuffix(" 0") })
        }
        // Every name is explained.
        let names = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
        #expect(names.allSatisfy { MetricHelp.texts[String($0)] != nil }, "\(names)")
        try await harness.close()
    }

    @Test func `a miss says where its time went, a hit doesn't`() async throws {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        harness.origin.on(
            "/original/1.jpg",
            .ok(FixtureImages.jpeg(width: 68, height: 100), type: "image/jpeg"))
        let responder = Responder(harness.pipeline, ServerConfiguration())
        let question = Question(method: .get, target: "/t/s/tvmaze/show/1", fields: [:])
        let timing = try #require(await responder.answer(question).fields[.serverTiming])
        let parts = timing.split(separator: ", ").map { $0.split(separator: ";dur=") }
        #expect(parts.allSatisfy { $0.count == 2 && Double($0[1]) != nil }, "\(timing)")
        #expect(Set(parts.map { String($0[0]) }).isSuperset(of: ["catalog", "fetch", "render"]))
        #expect(await responder.answer(question).fields[.serverTiming] == nil)
        try await harness.close()
    }
}
