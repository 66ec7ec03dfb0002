import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport

@testable import Serve

/// `/metrics` of a service that rendered a picture, failed at another, and asked twice for a third.
enum ServedMetrics {
    static func lines() async throws -> [String] {
        let registry = MetricRegistry()
        let harness = try await Harness(metrics: PipelineMetrics(registry))
        harness.serveShow(1, medium: nil)
        harness.origin.on(
            "/original/1.jpg",
            .ok(FixtureImages.jpeg(width: 68, height: 100), type: "image/jpeg"))
        harness.serveShow(2, medium: nil)
        harness.origin.on("/original/2.jpg", .html("<html></html>"))
        harness.serveShow(3, medium: nil)
        harness.origin.on("/original/3.jpg", .status(500))
        var configuration = ServerConfiguration()
        configuration.metrics = registry
        configuration.version = "1.2"
        let responder = Responder(harness.pipeline, configuration)
        func ask(_ target: String) async -> Response {
            await responder.answer(Request(method: .get, target: target, fields: [:]))
        }
        let cold = await ask("/t/s/tvmaze/show/1")
        responder.metrics.requests.count(path: "/t/s/tvmaze/show/1", cold, .milliseconds(20))
        _ = await ask("/t/s/tvmaze/show/2")
        _ = await ask("/t/s/tvmaze/show/3")
        let answer = await ask("/metrics")
        try await harness.close()
        guard answer.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8" else {
            return []
        }
        return String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
