import HTTPTypes
import Hashing
import Metrics
import Objects
import Pipeline
import PipelineSupport
import Store
import TestSupport

@testable import Serve

/// `/metrics` of a service that rendered a picture, failed at another, and asked twice for a third.
enum ServedMetrics {
    /// - Parameter sharing: whether it uploads to a shared store, in which an object is wrong.
    static func lines(sharing: Bool = false) async throws -> [String] {
        let registry = MetricRegistry()
        let bucket = try TemporaryDirectory()
        let objects = try DirectoryStore(bucket.path)
        let name = Digest(of: Array("tvmaze/show/3".utf8)).hex
        if let key = ObjectKey("i/\(name.prefix(2))/\(name)") {
            _ = try await objects.put(StoredObject([1]), key, .always)
        }
        let harness = try await Harness(
            metrics: PipelineMetrics(registry), objects: sharing ? objects : nil)
        harness.servePicture()
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
        _ = await harness.pipeline.uploads?.finish()
        // The places of the misses are free once their last parts are gone.
        await eventually {
            let load = harness.pipeline.status.missLoad
            return load.running + load.waiting == 0
        }
        let answer = await ask("/metrics")
        try await harness.close()
        guard answer.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8" else {
            return []
        }
        return String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
