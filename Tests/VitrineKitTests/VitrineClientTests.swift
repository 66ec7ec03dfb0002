import Foundation
import TestSupport
import Testing
import VitrineKit

@Suite(.timeLimit(.minutes(1))) struct VitrineClientTests {
    private func client(_ origin: OriginServer) throws -> VitrineClient {
        var client = VitrineClient(try #require(URL(string: origin.url)))
        client.retries.basePause = 0
        return client
    }

    private static func item(_ id: Int) -> String {
        """
        {"id": "\(id)", "item": "tvmaze/show/\(id)", "title": "Show \(id)", "genres": [], \
        "thumbnails": {}, "srcset": ""}
        """
    }

    private static func page(_ ids: [Int], next: String?) -> OriginReply {
        .json(
            """
            {"items": [\(ids.map(item).joined(separator: ","))], \
            "next": \(next.map { "\"\($0)\"" } ?? "null"), "total": null, "totalOf": "list", \
            "stale": false, "fetchedAt": "2026-01-02T03:04:05Z", "expiresAt": "2026-01-02T03:19:05Z"}
            """)
    }

    private static func problem(_ status: Int, _ name: String) -> OriginReply {
        OriginReply(
            status,
            body: Array(
                """
                {"type": "urn:vitrine:problem:\(name)", "title": "T", "status": \(status), \
                "detail": "D.", "message": "M.", "retryAfter": null}
                """.utf8), headers: [("Content-Type", "application/problem+json")])
    }

    @Test func `the items of a list come page by page, also behind an empty one`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/v1/tvmaze/shows") { request in
            switch request.query {
            case "genre=Science%20%26%20Fiction":
                Self.page([1, 2], next: "/v1/tvmaze/shows?page=1")
            case "page=1": Self.page([], next: "/v1/tvmaze/shows?page=2")
            case "page=2": Self.page([3], next: nil)
            default: .status(404)
            }
        }
        let client = try client(origin)
        var ids: [String] = []
        for try await item in client.items(of: "tvmaze", "shows", ["genre": "Science & Fiction"]) {
            // A page is asked for when the items before it are used up.
            #expect(origin.log.requests.count == (ids.count < 2 ? 1 : 3))
            ids.append(item.id)
        }
        #expect(ids == ["tvmaze/show/1", "tvmaze/show/2", "tvmaze/show/3"])
        await origin.stop()
    }

    @Test func `a refusal is thrown as the problem that the service names`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/v1/tvmaze/show/7", Self.problem(404, "not-found"))
        origin.on("/v1/tvmaze/show/8", .html("<p>other</p>", status: 403))
        let client = try client(origin)
        let known = try await #require(throws: Problem.self) {
            try await client.item("tvmaze/show/7")
        }
        #expect((known.name, known.status, known.message) == ("not-found", 404, "M."))
        #expect(known.localizedDescription == "M.")
        let other = try await #require(throws: Problem.self) {
            try await client.item("tvmaze/show/8")
        }
        #expect((other.name, other.status) == ("blank", 403))
        #expect(origin.log.requests.count == 2)
        await origin.stop()
    }

    @Test
    func `an overloaded service is asked again, and a Retry-After that is too long is thrown`()
        async throws
    {
        let origin = try await OriginServer.start()
        origin.on(
            "/v1/tvmaze/show/1", Self.problem(503, "overloaded"), .status(502),
            .json(Self.item(1)))
        origin.on(
            "/v1/tvmaze/show/2",
            .status(503, headers: [("Retry-After", "600")]))
        let client = try client(origin)
        #expect(try await client.item("tvmaze/show/1").title == "Show 1")
        #expect(origin.log.count("/v1/tvmaze/show/1") == 3)
        let problem = try await #require(throws: Problem.self) {
            try await client.item("tvmaze/show/2")
        }
        #expect(problem.retryAfter == 600)
        #expect(origin.log.count("/v1/tvmaze/show/2") == 1)
        await origin.stop()
    }

    @Test func `favorites are put, removed and ordered with the token`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/v1/favorites/posters/file/a%20b/c.jpg", .status(201), .status(404))
        origin.on("/v1/favorites", .status(204))
        var client = try client(origin)
        client.token = "geheim"
        try await client.setFavorite("posters/file/a b/c.jpg", true)
        // One that it was not is none afterwards, too.
        try await client.setFavorite("posters/file/a b/c.jpg", false)
        try await client.orderFavorites(["tvmaze/show/1"])
        let requests = origin.log.requests
        #expect(requests.map(\.method) == ["PUT", "DELETE", "PUT"])
        #expect(requests.allSatisfy { $0.header("authorization") == "Bearer geheim" })
        #expect(
            String(decoding: requests[2].body, as: UTF8.self) == #"{"items":["tvmaze\/show\/1"]}"#)
        await origin.stop()
    }

    @Test(arguments: ["https://pictures.example.org", "https://pictures.example.org/"])
    func `URLs are those of paths of the service, or whole ones`(address: String) throws {
        let client = VitrineClient(try #require(URL(string: address)))
        #expect(
            client.url(of: "/t/m/tvmaze/show/1")?.absoluteString
                == "https://pictures.example.org/t/m/tvmaze/show/1")
        #expect(
            client.url(of: "https://other.example/t/m/a/b/1")?.absoluteString
                == "https://other.example/t/m/a/b/1")
        let thumbnail = client.thumbnail("posters/file/a b?.jpg", Level.standard[2], format: "webp")
        #expect(
            thumbnail?.absoluteString
                == "https://pictures.example.org/t/m/posters/file/a%20b%3F.jpg.webp")
    }
}
