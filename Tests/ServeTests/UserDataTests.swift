import Foundation
import HTTP
import HTTPTypes
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Serve

/// Favorites, history and what belongs to them, for clients that may use them.
@Suite(.timeLimit(.minutes(1))) struct UserDataTests {
    private let client = UserDataClient()

    @Test func `every search is remembered with its parameters`() async throws {
        try await withHarness { harness in
            harness.serveMuseumPages(["": ([1], nil)])
            harness.origin.on("/search/shows", host: Harness.apiHost, .json("[]"))
            for target in [
                "/v1/tvmaze/search?q=under+the+dome",
                "/v1/rijksmuseum/objects?creator=Rembrandt",
                "/v1/rijksmuseum/objects?title=Rembrandt&type=etching",
                "/v1/rijksmuseum/objects?title=Rembrandt", "/v1/rijksmuseum/objects",
            ] {
                harness.clock.advance(by: 1)
                #expect(await client.ask(harness, target).status == .ok, "\(target)")
            }
            let searches = try json(await client.ask(harness, "/v1/history"))["searches"]
            let all = try #require(searches as? [[String: Any]])
            #expect(
                all.map { $0["term"] as? String }
                    == ["Rembrandt", "Rembrandt, etching", "Rembrandt", "under the dome"])
            #expect(
                all.map { $0["url"] as? String } == [
                    "/v1/rijksmuseum/objects?title=Rembrandt",
                    "/v1/rijksmuseum/objects?title=Rembrandt&type=etching",
                    "/v1/rijksmuseum/objects?creator=Rembrandt",
                    "/v1/tvmaze/search?q=under%20the%20dome",
                ])
            #expect(
                all.map { $0["parameters"] as? [String: String] } == [
                    ["title": "Rembrandt"], ["title": "Rembrandt", "type": "etching"],
                    ["creator": "Rembrandt"], ["q": "under the dome"],
                ])
            #expect(await client.ask(harness, "/v1/history", method: .delete).status == .noContent)
            let empty = try json(await client.ask(harness, "/v1/history"))["searches"]
            #expect((empty as? [Any])?.isEmpty == true)
        }
    }

    @Test func `favorites are stale only if their source was asked and failed`() async throws {
        try await withHarness { harness async throws in
            harness.serveShow(1)
            harness.origin.on("/shows/2", host: Harness.apiHost, .status(403))
            func isStale() async throws -> Bool? {
                try json(await client.ask(harness, "/v1/favorites"))["stale"] as? Bool
            }
            _ = await client.ask(harness, "/v1/favorites/tvmaze/show/1", method: .put)
            #expect(try await isStale() == false)
            // What the catalog said has expired, and nothing was asked.
            harness.clock.advance(by: 3_600)
            #expect(try await isStale() == false)
            _ = await client.ask(harness, "/v1/favorites/tvmaze/show/2", method: .put)
            #expect(try await isStale() == true)
        }
    }

    @Test func `an item that its source doesn't have can't become a favorite`() async throws {
        try await withHarness(Harness(configure: { $0.favorites.patience = .seconds(600) })) {
            harness in
            harness.origin.on("/shows/404", host: Harness.apiHost, .status(404))
            harness.origin.on("/shows/503", host: Harness.apiHost, .status(403))
            let missing = await client.ask(
                harness, "/v1/favorites/tvmaze/show/404", method: .put)
            #expect(missing.status == .notFound)
            // A source that refuses to answer doesn't cost a reader the choice.
            let refused = await client.ask(
                harness, "/v1/favorites/tvmaze/show/503", method: .put)
            #expect(refused.status == .created)
            let page = try json(await client.ask(harness, "/v1/favorites"))
            let items = try #require(page["items"] as? [[String: Any]])
            #expect(items.map { $0["id"] as? String } == ["503"])
        }
    }

    @Test func `a source that is silent holds up no new favorite, and is asked once`() async throws
    {
        try await withHarness(Harness(configure: { $0.favorites.patience = .milliseconds(1) })) {
            harness in
            let gate = Gate()
            defer { gate.open() }
            for id in 1...3 {
                harness.origin.on(
                    "/shows/\(id)", host: Harness.apiHost, .status(404).delayed(until: gate))
                let answer = await client.ask(
                    harness, "/v1/favorites/tvmaze/show/\(id)", method: .put)
                #expect(answer.status == .created)
            }
            #expect(harness.origin.log.requests.count <= 1)
        }
    }

    @Test func `favorites are filtered like every list, and unknown parameters are refused`()
        async throws
    {
        try await withHarness { harness in
            for id in 1...2 {
                harness.serveShow(id)
                #expect(await client.ask(harness, "/v1/tvmaze/show/\(id)").status == .ok)
                #expect(
                    await client.ask(harness, "/v1/favorites/tvmaze/show/\(id)", method: .put)
                        .status
                        == .created)
            }
            func favorites(_ query: String) async throws -> [String] {
                let page = try json(await client.ask(harness, "/v1/favorites\(query)"))
                let items = try #require(page["items"] as? [[String: Any]])
                #expect(page["total"] as? Int == items.count)
                #expect(page["totalOf"] as? String == "matches")
                return items.compactMap { $0["id"] as? String }.sorted()
            }
            #expect(try await favorites("") == ["1", "2"])
            let title = try #require(
                try json(await client.ask(harness, "/v1/tvmaze/show/1"))["title"] as? String)
            let encoded = try #require(
                title.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            #expect(try await favorites("?title=\(encoded)") == ["1"])
            #expect(try await favorites("?genre=none") == [])
            for (query, sentence) in [
                (
                    "?q=dome",
                    "Favorites have no parameter “q”; they know “title”, “from”, “to”, “genre” and "
                        + "“lang”."
                ),
                ("?title=a&title=b", "The parameter “title” is given twice."),
                ("?from=soon", "“from” is not a date. Use YYYY-MM-DD, YYYY-MM or YYYY."),
            ] {
                let answer = await client.ask(harness, "/v1/favorites\(query)")
                #expect(answer.status == .badRequest)
                #expect(try json(answer)["detail"] as? String == sentence)
            }
        }
    }

    @Test func `a favorite whose thumbnails exceed the room for pins is 507, and not kept`()
        async throws
    {
        var limits = DiskLimits.none
        limits.maxPinned = 0
        try await withHarness(Harness(limits: limits)) { harness in
            harness.serveShow(1)
            harness.origin.on(
                "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 680, height: 1000, seed: 1)))
            #expect(await client.ask(harness, "/t/m/tvmaze/show/1").status == .ok)
            let answer = await client.ask(harness, UserDataClient.favorite, method: .put)
            #expect(answer.status.code == 507)
            let type = try json(answer)["type"] as? String
            #expect(type == "urn:vitrine:problem:pins-full")
            #expect(await client.ask(harness, UserDataClient.favorite).status == .notFound)
        }
    }

    @Test func `favorites are put in the order of a body`() async throws {
        try await withHarness { harness in
            for id in 1...3 {
                harness.serveShow(id)
                let target = "/v1/favorites/tvmaze/show/\(id)"
                #expect(await client.ask(harness, target, method: .put).status == .created)
            }
            func put(_ body: String, type: String? = "application/json") async -> Response {
                var fields = HTTPFields()
                fields[.contentType] = type
                return await Responder(harness.pipeline, ServerConfiguration()).answer(
                    Request(
                        method: .put, target: "/v1/favorites", fields: fields,
                        authority: "127.0.0.1:8080", body: { _ in .whole(Array(body.utf8)) }))
            }
            let order = #"{"items":["tvmaze/show/1","tvmaze/show/3","tvmaze/show/9"]}"#
            #expect(await put(order).status == .noContent)
            let page = try json(await client.ask(harness, "/v1/favorites"))
            let items = try #require(page["items"] as? [[String: Any]])
            #expect(
                items.map { $0["item"] as? String }
                    == ["tvmaze/show/1", "tvmaze/show/3", "tvmaze/show/2"])
            #expect(await put(#"{"items":["nothing"]}"#).status == .badRequest)
            #expect(await put(#"{"items":["nowhere/show/1"]}"#).status == .notFound)
            #expect(await put(order, type: nil).status == .unsupportedMediaType)
            let foreign = await Responder(harness.pipeline, ServerConfiguration()).answer(
                Request(
                    method: .put, target: "/v1/favorites",
                    fields: [.contentType: "application/json", .origin: "https://other.example"],
                    authority: "127.0.0.1:8080", body: { _ in .whole(Array(order.utf8)) }))
            #expect(foreign.status == .forbidden)
        }
    }

    @Test(
        arguments: [
            ("[]", "The body is not a JSON object."), ("{", "The body is not a JSON object."),
            ("{}", "“items” is missing."),
            (#"{"items":null}"#, "“items” has a value of the wrong type."),
            (#"{"items":[1]}"#, "“items” has a value of the wrong type."),
            (#"{"order":[]}"#, "“order” is unknown; known are items."),
        ])
    func `a body that can't be used is refused with what is wrong in it`(
        body: String, detail: String
    ) async throws {
        try await withHarness { harness async throws in
            let answer = await Responder(harness.pipeline, ServerConfiguration()).answer(
                Request(
                    method: .put, target: "/v1/favorites",
                    fields: [.contentType: "application/json"], authority: "127.0.0.1:8080",
                    body: { _ in .whole(Array(body.utf8)) }))
            #expect(answer.status == .badRequest)
            #expect(try json(answer)["detail"] as? String == detail)
        }
    }

    @Test func `responses with favorites are revalidated each time`() async throws {
        try await withHarness { harness in
            harness.serveShow(1)
            let first = await client.ask(harness, "/v1/tvmaze/show/1")
            #expect(first.fields[.cacheControl] == "private, no-cache")
            #expect(try json(first)["favorite"] as? Bool == false)
            let tag = try #require(first.fields[.eTag])
            #expect(
                await client.ask(harness, "/v1/tvmaze/show/1", [.ifNoneMatch: tag]).status
                    == .notModified)
            #expect(
                await client.ask(harness, UserDataClient.favorite, method: .put).status == .created)
            let second = await client.ask(harness, "/v1/tvmaze/show/1", [.ifNoneMatch: tag])
            #expect(try json(second)["favorite"] as? Bool == true)
            let open = await client.ask(harness, "/v1/tvmaze/show/1") { $0.userData = .off }
            #expect(open.fields[.cacheControl]?.hasPrefix("public, max-age=") == true)
        }
    }

    @Test func `an explanation tells hosts and sizes, and only clients of user data`()
        async throws
    {
        try await withHarness { harness in
            harness.serveShow(1)
            harness.origin.on(
                "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 680, height: 1000, seed: 1)))
            #expect(await client.ask(harness, "/t/m/tvmaze/show/1").status == .ok)
            let target = "/v1/explain/tvmaze/show/1"
            let answer = try json(await client.ask(harness, target))
            let candidates = try #require(answer["candidates"] as? [[String: Any]])
            let chosen = try #require(candidates.first { $0["state"] as? String == "chosen" })
            #expect(chosen["size"] as? [String: Int] == ["width": 680, "height": 1000])
            #expect(chosen["milliseconds"] as? Int != nil && chosen["askedAt"] is String)
            #expect((chosen["bytes"] as? Int ?? 0) > 0 && chosen["format"] as? String == "jpeg")
            #expect(candidates.contains { $0["state"] as? String == "untried" })
            #expect(candidates.allSatisfy { $0["url"] == nil })
            let levels = try #require(answer["levels"] as? [[String: Any]])
            let made = try #require(levels.first { $0["name"] as? String == "m" })
            let thumbnails = try #require(made["thumbnails"] as? [[String: Any]])
            #expect(thumbnails.first?["format"] as? String == "webp")
            #expect(thumbnails.first?["size"] as? [String: Int] == ["width": 320, "height": 471])
            let steps = try #require(answer["steps"] as? [[String: Any]])
            #expect(steps.allSatisfy { $0["milliseconds"] is Int })
            #expect(await client.ask(harness, target) { $0.userData = .off }.status == .forbidden)
        }
    }

    @Test func `an item has the size of its original, or the failure that is remembered`()
        async throws
    {
        try await withHarness { harness in
            for id in 1...3 { harness.serveShow(id) }
            harness.origin.on(
                "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 680, height: 1000, seed: 1)))
            #expect(await client.ask(harness, "/t/m/tvmaze/show/1").status == .ok)
            #expect(await client.ask(harness, "/t/m/tvmaze/show/2").status == .notFound)
            let shown = try json(await client.ask(harness, "/v1/tvmaze/show/1"))
            #expect(shown["original"] as? [String: Int] == ["width": 680, "height": 1000])
            #expect(shown["aspectRatio"] as? Double == 0.68 && shown["failure"] == nil)
            let absent = try json(await client.ask(harness, "/v1/tvmaze/show/2"))
            #expect(absent["failure"] as? String == "absent" && absent["original"] == nil)
            let unknown = try json(await client.ask(harness, "/v1/tvmaze/show/3"))
            #expect(unknown["failure"] == nil && unknown["original"] == nil)
        }
    }

    @Test func `recent items are those with a picture, the newest first`() async throws {
        try await withHarness { harness in
            for id in 1...3 { harness.serveShow(id) }
            for id in [1, 3] {
                harness.origin.on(
                    "/original/\(id).jpg",
                    .jpeg(FixtureImages.jpeg(width: 68, height: 100, seed: 1)))
                _ = await client.ask(harness, "/t/m/tvmaze/show/\(id)")
            }
            _ = await client.ask(harness, "/v1/tvmaze/show/2")
            let page = try json(await client.ask(harness, "/v1/recent?source=tvmaze"))
            let items = try #require(page["items"] as? [[String: Any]])
            #expect(items.map { $0["id"] as? String } == ["3", "1"])
            #expect(await client.ask(harness, "/v1/recent").status == .badRequest)
            #expect(await client.ask(harness, "/v1/recent?source=nowhere").status == .notFound)
        }
    }

    @Test func `favorites over the limit are refused`() async throws {
        try await withHarness(Harness(configure: { $0.favorites.max = 2 })) {
            harness async throws in
            for id in 1...3 { harness.serveShow(id) }
            let put = { (id: Int) in
                await client.ask(harness, "/v1/favorites/tvmaze/show/\(id)", method: .put)
            }
            #expect(await put(1).status == .created)
            #expect(await put(2).status == .created)
            let full = await put(3)
            #expect(full.status == .conflict)
            #expect(
                try (json(full)["detail"] as? String)?.contains("There are 2 favorites")
                    == true)
            #expect(await put(2).status == .noContent)
            _ = await client.ask(harness, "/v1/favorites/tvmaze/show/1", method: .delete)
            #expect(await put(3).status == .created)
        }
    }

    @Test func `invented favorites cause only a few requests to their source per minute`()
        async throws
    {
        let limits = { (configuration: inout PipelineConfiguration) in
            configuration.favorites.lookupsPerMinute = 2
            configuration.favorites.patience = .seconds(600)
        }
        // While the source is down, nothing shows that they don't exist.
        let down = OriginReply.status(503, headers: [("Retry-After", "999")])
        try await withHarness(Harness(configure: limits)) { harness in
            for id in 1...5 {
                harness.origin.on("/shows/\(id)", host: Harness.apiHost, down)
                _ = try await harness.pipeline.userData.addFavorite(harness.item(id))
                harness.origin.on("/shows/\(id)", host: Harness.apiHost, .status(404))
            }
            let before = harness.origin.log.requests.count
            harness.clock.advance(by: 3_600)
            for _ in 0..<5 {
                let list = try json(await client.ask(harness, "/v1/favorites"))
                #expect((list["items"] as? [Any])?.count == 5)
            }
            try await harness.origin.waitForRequests(before + 2)
            for count in [4, 5] {
                harness.clock.advance(by: 61)
                await eventually {
                    _ = await client.ask(harness, "/v1/favorites")
                    return harness.origin.log.requests.count >= before + count
                }
            }
            // Each was looked up once, and its absence is remembered.
            harness.clock.advance(by: 61)
            for _ in 0..<5 { _ = await client.ask(harness, "/v1/favorites") }
            let asked = harness.origin.log.requests.map(\.path).dropFirst(before)
            #expect(Set(asked).count == 5 && asked.count == 5)
        }
    }
}
