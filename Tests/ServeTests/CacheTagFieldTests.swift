import Catalog
import HTTPTypes
import Imaging
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import Serve
import TestSupport
import Testing

/// What caches in front are told: the names of items and sources, and a freshness of their own.
@Suite(.timeLimit(.minutes(1))) struct CacheTagFieldTests {
    private static let show = ["vitrine", "tvmaze", "tvmaze/show/1"]

    /// Show 1 on a page of its own.
    private func harness(
        bytes: Int = 64 << 20, tags: [CacheTag.Field] = CacheTag.Field.allCases,
        clientLimit: Double? = nil
    ) async throws -> Harness {
        let harness = try await Harness(configure: {
            $0.hitBytes = bytes
            $0.tagFields = tags
            $0.freshness.clientLimit = clientLimit
        })
        harness.serveShow(1, medium: nil)
        let page = "[\(Harness.show(1, medium: nil))]"
        harness.origin.on("/shows", host: Harness.apiHost) { request in
            request.query == "page=0"
                ? .json(page) : .json(TVMazeProblem.notFound.json.text, status: 404)
        }
        harness.origin.on("/original/1.jpg", .jpeg(HitSite.original, maxAge: 100, tag: "a"))
        return harness
    }

    private func ask(_ harness: Harness, _ target: String) async -> Response {
        var configuration = ServerConfiguration()
        // Responses with favorites are private, and no cache keeps them.
        configuration.userData = .off
        return await ServeTests.ask(harness, target, configuration: configuration)
    }

    private func field(_ name: String, _ answer: Response) -> String? {
        HTTPField.Name(name).flatMap { answer.fields[$0] }
    }

    private func tags(_ answer: Response) throws -> [String] {
        let keys = try #require(field("Surrogate-Key", answer))
        let tags = try #require(field("Cache-Tag", answer))
        #expect(keys.split(separator: " ") == tags.split(separator: ","))
        return keys.split(separator: " ").map(String.init)
    }

    @Test func `every response that a cache may keep names its items and its source`() async throws
    {
        try await withHarness(harness()) { harness in
            for target in [
                "/t/m/tvmaze/show/1", "/o/tvmaze/show/1", "/v1/tvmaze/show/1",
                "/v1/tvmaze/shows?page=0", "/sheet/s/tvmaze/shows?page=0",
                "/sheet/s/tvmaze/shows.json?page=0", "/iiif/3/tvmaze%2Fshow%2F1/info.json",
                "/iiif/3/tvmaze%2Fshow%2F1/full/100,/0/default.jpg",
                "/iiif/2/tvmaze%2Fshow%2F1/0,0,50,50/max/0/default.png",
                "/iiif/presentation/3/tvmaze/shows?page=0",
                "/iiif/presentation/3/tvmaze%2Fshow%2F1/manifest",
            ] {
                #expect(try tags(await ask(harness, target)) == Self.show, "\(target)")
            }
            await harness.pipeline.pictures.settled()
            for target in ["/t/m/tvmaze/show/1", "/o/tvmaze/show/1"] {
                let digest = try #require(await ask(harness, target).fields[.eTag])
                let blob = await ask(harness, "/b/\(digest.filter { $0 != "\"" })")
                #expect(try tags(blob) == Self.show, "the blob of \(target)")
            }
        }
    }

    @Test func `a placeholder names its item, so that a purge can end it`() async throws {
        try await withHarness(harness(clientLimit: 60)) { harness async throws in
            harness.origin.on("/original/1.jpg", .status(404))
            let answer = await ask(harness, "/t/m/tvmaze/show/1")
            #expect(answer.status == .notFound)
            #expect(try tags(answer) == Self.show)
            #expect(answer.fields[.cacheControl] == "public, max-age=60")
            #expect(field("CDN-Cache-Control", answer) == "public, max-age=86400")
        }
    }

    /// Memory for all pictures, and for none.
    @Test(arguments: [64 << 20, 100])
    func `hits have the same names and lifetimes as responders' responses`(bytes: Int)
        async throws
    {
        let harness = try await harness(bytes: bytes, clientLimit: 30)
        try await withHarness(harness) { harness async throws in
            _ = try await harness.picture(1, "m", .webp)
            try await RunningServer.with(harness.pipeline) { running async throws in
                let before = running.server.counts.hits
                let accept = "Accept: image/webp\r\n"
                let answers = try await running.ask(
                    [
                        request(HitSite.path, accept), request(HitSite.path, accept),
                        request(HitSite.path, "X-Odd: 1\r\n" + accept),
                    ])
                #expect(running.server.counts.hits == before + 2)
                #expect(answers[0] == answers[2] && answers[1] == answers[2])
                let fields = answers[0].fields
                #expect(fields["surrogate-key"] == "vitrine tvmaze tvmaze/show/1")
                #expect(fields["cache-tag"] == "vitrine,tvmaze,tvmaze/show/1")
                #expect(
                    fields["cache-control"]
                        == "public, max-age=30, stale-while-revalidate=0, stale-if-error=0")
                #expect(
                    fields["cdn-cache-control"]
                        == "public, max-age=100, stale-while-revalidate=86400, stale-if-error=604800"
                )
            }
        }
    }

    @Test func `without a cache in front, responses carry nothing for one`() async throws {
        try await withHarness(harness(tags: [])) { harness in
            for target in ["/t/m/tvmaze/show/1", "/v1/tvmaze/shows?page=0"] {
                let answer = await ask(harness, target)
                #expect(answer.status == .ok)
                for name in ["Surrogate-Key", "Cache-Tag", "CDN-Cache-Control"] {
                    #expect(field(name, answer) == nil)
                }
            }
        }
    }
}
