import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Show 1 with one picture, fresh for 100 s, as WebP and JPEG.
enum HitSite {
    static let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)
    static let path = "/t/m/tvmaze/show/1"

    /// - Parameter memory: bytes of pictures in memory; nil for enough.
    static func harness(memory: Int? = nil) async throws -> Harness {
        let harness = try await Harness(configure: { if let memory { $0.hitBytes = memory } })
        harness.serveShow(1, medium: nil)
        harness.origin.on("/original/1.jpg", .jpeg(original, maxAge: 100, tag: "a"))
        for format in [ThumbnailFormat.webp, .jpeg] {
            _ = try await harness.picture(1, "m", format)
        }
        return harness
    }
}

extension RunningServer {
    /// Sends requests together and returns their responses. Their ids differ each time, so
    /// they are removed.
    func ask(_ requests: [String], heads: Set<Int> = []) async throws -> [RawAnswer] {
        let connection = try await connect()
        try await connection.send(requests.joined())
        return await connection.answers(requests.count, heads: heads).map(\.withoutRequestID)
    }
}

/// Asks once and returns the response, with whether no responder did.
func ask(
    _ running: RunningServer, _ path: String = HitSite.path, _ fields: String = "",
    method: String = "GET"
) async throws -> (answer: RawAnswer, isFast: Bool) {
    let before = running.server.counts.responded
    let answers = try await running.ask(
        [request(path, fields, method: method)], heads: method == "HEAD" ? [0] : [])
    let isFast = running.server.counts.responded == before
    return (try #require(answers.first), isFast)
}

extension RawAnswer {
    var withoutRequestID: RawAnswer {
        var answer = self
        answer.fields["x-request-id"] = nil
        return answer
    }
}
