import HTTPTypes
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import Serve
import TestSupport
import Testing

/// The `Cache-Status` and `Age` of responses.
@Suite(.timeLimit(.minutes(1))) struct CacheStatusTests {
    private static let picture = FixtureImages.jpeg(width: 340, height: 500)

    /// Show 1 on a page of its own, its picture fresh for 100 s.
    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        harness.origin.on("/shows", host: Harness.apiHost) { request in
            request.query == "page=0"
                ? .json("[\(Harness.show(1, medium: nil))]")
                : .json(TVMazeProblem.notFound.json.text, status: 404)
        }
        harness.origin.on("/original/1.jpg", .jpeg(Self.picture, maxAge: 100))
        return harness
    }

    private func ask(_ harness: Harness, _ target: String) async throws -> HTTPFields {
        let answer = await ServeTests.ask(harness, target)
        #expect(answer.status == .ok, "\(target)")
        return answer.fields
    }

    private func status(_ harness: Harness, _ target: String) async throws -> String? {
        let name = try #require(HTTPField.Name("Cache-Status"))
        return try await ask(harness, target)[name]
    }

    @Test(arguments: ["/v1/tvmaze/shows?page=0", "/v1/tvmaze/show/1", "/sheet/s/tvmaze/shows.json"])
    func `Cache-Status says whether the origin was asked`(target: String) async throws {
        try await withHarness(harness()) { harness in
            #expect(try await status(harness, target) == "vitrine; fwd=miss; stored")
            #expect(try await status(harness, target) == "vitrine; hit")
            // The page, which is fresh for a quarter of an hour, and the picture have expired.
            harness.clock.advance(by: 901)
            _ = try await ask(harness, "/v1/tvmaze/shows?page=0")
            harness.clock.advance(by: 901)
            harness.origin.on("/original/1.jpg", .jpeg(Self.picture, maxAge: 10_000))
            if target.hasPrefix("/v1/") {
                #expect(try await status(harness, target) == "vitrine; fwd=stale; stored")
            }
            harness.clock.advance(by: 901)
            harness.origin.on("/shows", host: Harness.apiHost, .status(500))
            harness.origin.on("/shows/1", host: Harness.apiHost, .status(500))
            #expect(try await status(harness, target) == "vitrine; fwd=stale")
        }
    }

    @Test func `concurrent requests for a page cause one fetch`() async throws {
        try await withHarness(harness()) { harness in
            let answers = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<16 {
                    group.addTask { try await status(harness, "/v1/tvmaze/shows?page=0") }
                }
                return try await group.reduce(into: [String: Int]()) {
                    $0[$1 ?? "", default: 0] += 1
                }
            }
            #expect(answers["vitrine; fwd=miss; stored"] == 1)
            let others = ["vitrine; fwd=miss; collapsed", "vitrine; hit"]
            #expect(others.reduce(0) { $0 + answers[$1, default: 0] } == 15, "\(answers)")
        }
    }

    /// `max-age` less `Age` is the remaining freshness (RFC 9111, section 4.2).
    @Test(arguments: ["/t/s/tvmaze/show/1", "/o/tvmaze/show/1"])
    func `the age of a picture counts from when its freshness is over`(
        target: String
    ) async throws {
        try await withHarness(harness()) { harness in
            for (passed, life, age) in [(0, 100, 0), (30, 70, 0), (100, 0, 30)] {
                harness.clock.advance(by: Double(passed))
                let fields = try await ask(harness, target)
                #expect(fields[.age] == "\(age)")
                #expect(fields[.cacheControl]?.hasPrefix("public, max-age=\(life),") == true)
            }
        }
    }
}
