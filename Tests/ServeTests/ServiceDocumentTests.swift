import Foundation
import HTTPTypes
import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ServiceDocumentTests {
    @Test func `GET /v1 names levels with box and fit, formats, sources, kinds and lists`()
        async throws
    {
        try await withHarness { harness in
            harness.reload(levels: [
                .init(name: "s", width: 160, height: 240),
                .init(name: "tile", width: 100, height: 100, fit: .cover(.top)),
            ])
            let answer = await ask(harness, "/v1")
            #expect(answer.status == .ok)
            let document = try json(answer)
            func texts(_ list: Any?, _ members: String...) throws -> [String] {
                try #require(list as? [[String: Any]]).map { object in
                    members.map { "\(object[$0] ?? "")" }.joined(separator: " ")
                }
            }
            #expect(
                try texts(document["levels"], "name", "width", "height", "fit")
                    == ["s 160 240 contain", "tile 100 100 cover"])
            #expect(document["formats"] as? [String] == ["webp", "jpg", "avif", "png"])
            #expect(
                try texts(document["sources"], "name")
                    == ["tvmaze", "rijksmuseum", "itunes", "spotify", "tmdb"])
            let sources = try #require(document["sources"] as? [[String: Any]])
            let maze = sources[0]
            #expect(
                try texts(maze["kinds"], "name", "title") == ["show TV shows", "poster TV posters"])
            #expect(
                try texts(maze["lists"], "name", "title", "url")
                    == ["shows TV shows /v1/tvmaze/shows", "search TV shows /v1/tvmaze/search"])
            let lists = try #require(maze["lists"] as? [[String: Any]])
            #expect(lists[0]["search"] is NSNull && lists[0]["required"] as? [String] == [])
            #expect(lists[0]["parameters"] as? [String] == ["page"])
            #expect(lists[0]["filters"] as? [String] == ["title", "from", "to", "genre"])
            let museum = try #require(sources[1]["lists"] as? [[String: Any]])
            #expect(museum[0]["filters"] as? [String] == ["from", "to"])
            #expect(
                lists[1]["search"] as? String == "q" && lists[1]["required"] as? [String] == ["q"])
            let tag = try #require(answer.fields[.eTag])
            #expect(await ask(harness, "/v1", [.ifNoneMatch: tag]).status == .notModified)
        }
    }

    @Test func `links of documents are whole URLs where the service knows its public one`()
        async throws
    {
        try await withHarness { harness in
            harness.serveShow(1, medium: nil)
            harness.origin.on(
                "/shows", .json(#"[{"id": 1, "name": "One", "image": null}]"#))
            var configuration = ServerConfiguration()
            configuration.publicURL = "https://pictures.example.org/"
            func document(_ path: String) async throws -> [String: Any] {
                try json(await ask(harness, path, configuration: configuration))
            }
            let start = "https://pictures.example.org"
            let item = try await document("/v1/tvmaze/show/1")
            let links = try #require(item["thumbnails"] as? [String: [String: Any]])
            #expect(links["m"]?["url"] as? String == "\(start)/t/m/tvmaze/show/1")
            let candidates = try #require(item["srcset"] as? String).components(separatedBy: ", ")
            #expect(candidates.count == 5)
            #expect(candidates.allSatisfy { $0.hasPrefix("\(start)/t/") })
            let page = try await document("/v1/tvmaze/shows?page=0")
            #expect(page["next"] as? String == "\(start)/v1/tvmaze/shows?page=1")
            let sources = try #require(
                try await document("/v1")["sources"] as? [[String: Any]])
            let lists = try #require(sources[0]["lists"] as? [[String: Any]])
            #expect(lists[0]["url"] as? String == "\(start)/v1/tvmaze/shows")
        }
    }

    @Test func `an item that is known to have no picture says so, and lists no thumbnails`()
        async throws
    {
        try await withHarness { harness in
            harness.serveShow(1, medium: nil)
            harness.serveShow(2, medium: nil)
            harness.origin.on("/original/1.jpg", .status(404))
            harness.origin.on("/original/2.jpg", .status(403))
            func item(_ id: Int) async throws -> (failure: String?, levels: Int, srcset: String?) {
                _ = await ask(harness, "/t/m/tvmaze/show/\(id)")
                harness.clock.advance(by: 10)
                let item = try json(await ask(harness, "/v1/tvmaze/show/\(id)"))
                return (
                    item["failure"] as? String,
                    (item["thumbnails"] as? [String: Any])?.count ?? -1,
                    item["srcset"] as? String
                )
            }
            let absent = try await item(1)
            #expect(absent.failure == "absent" && absent.levels == 0 && absent.srcset == "")
            // An origin that fails may have a picture in a moment.
            let failed = try await item(2)
            #expect(failed.failure == "unavailable" && failed.levels == 5)
        }
    }

    @Test(arguments: [
        "/v1", "/t/m/tvmaze/show/1", "/t/m/tvmaze/show/1.jpg", "/openapi.json",
        "/o/tvmaze/show/1", "/sheet/s/tvmaze/shows?page=0", "/v1/nothing/a/1",
        "/t/huge/tvmaze/show/1",
        "/v1/status", "/iiif/3/tvmaze%2Fshow%2F1/info.json",
    ])
    func `pages of other sites read every field, and caches keep one response for all of them`(
        path: String
    ) async throws {
        try await withHarness { harness in
            harness.serveShow(1, medium: nil)
            let fields = await ask(harness, path).fields
            #expect(fields[.accessControlAllowOrigin] == "*")
            #expect(fields[.accessControlExposeHeaders] == "*")
            // Caches in front keep one response for all pages.
            let other = await ask(harness, path, [.origin: "https://shop.example"]).fields
            #expect(other[.accessControlAllowOrigin] == "*")
            #expect(other[.vary]?.contains("Origin") != true)
        }
    }

    @Test func `pages of other sites send a trace, and read nothing of favorites`() async throws {
        try await withHarness { harness in
            let options = await ask(harness, "/v1/tvmaze/shows", method: .options)
            let allowed = options.fields[.accessControlAllowHeaders]?
                .components(separatedBy: ", ")
            #expect(allowed?.contains("traceparent") == true)
            #expect(allowed?.contains("tracestate") == true)
            let favorites = await ask(harness, "/v1/favorites")
            #expect(favorites.fields[.accessControlAllowOrigin] == nil)
            #expect(favorites.fields[.accessControlExposeHeaders] == nil)
        }
    }
}
