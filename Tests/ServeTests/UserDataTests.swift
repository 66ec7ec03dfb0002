import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Serve

/// Favorites and history: which clients may use them, and their limits.
@Suite(.timeLimit(.minutes(1))) struct UserDataTests {
    private static let token = "a token of its own"
    private static let favorite = "/v1/favorites/tvmaze/show/1"

    private func ask(
        _ harness: Harness, _ target: String, _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get, authority: String? = "127.0.0.1:8080",
        adjust: (inout ServerConfiguration) -> Void = { _ in }
    ) async -> Response {
        var configuration = ServerConfiguration()
        configuration.adminToken = AdminToken(Self.token)
        adjust(&configuration)
        return await Responder(harness.pipeline, configuration).answer(
            Request(method: method, target: target, fields: fields, authority: authority))
    }

    private func json(_ answer: Response) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    private func field(_ name: String) throws -> HTTPField.Name {
        try #require(HTTPField.Name(name))
    }

    @Test(arguments: [
        (ServerConfiguration.UserDataAccess.automatic, "127.0.0.1", true),
        (.automatic, "localhost", true),
        (.automatic, "::1", true), (.automatic, "0.0.0.0", false), (.automatic, "::", false),
        (.automatic, "pictures.example.org", false), (.off, "127.0.0.1", false),
        (.open, "0.0.0.0", true),
    ])
    func `user data is open on loopback, and elsewhere only if configured`(
        access: ServerConfiguration.UserDataAccess, host: String, isOpen: Bool
    ) async throws {
        try await withHarness { harness in
            harness.serveShow(1)
            harness.origin.on("/search/shows", host: Harness.apiHost, .json("[\(Harness.show(1))]"))
            let adjust: (inout ServerConfiguration) -> Void = {
                ($0.userData, $0.host) = (access, host)
            }
            for (target, method, good) in [
                ("/v1/favorites", HTTPRequest.Method.get, 200), (Self.favorite, .put, 201),
                (Self.favorite, .get, 200), (Self.favorite, .delete, 204),
                ("/v1/history", .get, 200),
                ("/v1/history", .delete, 204),
            ] {
                let answer = await ask(harness, target, method: method, adjust: adjust)
                #expect(answer.status.code == (isOpen ? good : 403), "\(method) \(target)")
                if !isOpen {
                    let detail = try json(answer)["detail"] as? String
                    #expect(detail?.contains("userData") == true)
                }
            }
            let item = await ask(harness, "/v1/tvmaze/show/1", adjust: adjust)
            #expect(try (json(item)["favorite"] != nil) == isOpen)
            #expect(item.fields[.cacheControl]?.hasPrefix(isOpen ? "private" : "public") == true)
            #expect((item.fields[.accessControlAllowOrigin] == nil) == isOpen)
            _ = await ask(harness, "/v1/tvmaze/search?q=dome", adjust: adjust)
            #expect(try await harness.pipeline.userData.searches().count == (isOpen ? 1 : 0))
        }
    }

    @Test func `every search is remembered with its parameters`() async throws {
        try await withHarness { harness in
            harness.serveMuseumPages(["": ([1], nil)])
            harness.origin.on("/search/shows", host: Harness.apiHost, .json("[]"))
            for target in [
                "/v1/tvmaze/search?q=dome", "/v1/rijksmuseum/objects?creator=Rembrandt",
                "/v1/rijksmuseum/objects?title=Rembrandt&type=etching",
                "/v1/rijksmuseum/objects?title=Rembrandt", "/v1/rijksmuseum/objects",
            ] {
                harness.clock.advance(by: 1)
                #expect(await ask(harness, target).status == .ok, "\(target)")
            }
            let searches = try json(await ask(harness, "/v1/history"))["searches"]
            let all = try #require(searches as? [[String: Any]])
            #expect(
                all.map { $0["term"] as? String }
                    == ["Rembrandt", "Rembrandt, etching", "Rembrandt", "dome"])
            #expect(
                all.map { $0["url"] as? String } == [
                    "/v1/rijksmuseum/objects?title=Rembrandt",
                    "/v1/rijksmuseum/objects?title=Rembrandt&type=etching",
                    "/v1/rijksmuseum/objects?creator=Rembrandt", "/v1/tvmaze/search?q=dome",
                ])
            #expect(
                all.map { $0["parameters"] as? [String: String] } == [
                    ["title": "Rembrandt"], ["title": "Rembrandt", "type": "etching"],
                    ["creator": "Rembrandt"], ["q": "dome"],
                ])
        }
    }

    @Test func `favorites are filtered like every list, and unknown parameters are refused`()
        async throws
    {
        try await withHarness { harness in
            for id in 1...2 {
                harness.serveShow(id)
                #expect(await ask(harness, "/v1/tvmaze/show/\(id)").status == .ok)
                #expect(
                    await ask(harness, "/v1/favorites/tvmaze/show/\(id)", method: .put).status
                        == .created)
            }
            func favorites(_ query: String) async throws -> [String] {
                let page = try json(await ask(harness, "/v1/favorites\(query)"))
                let items = try #require(page["items"] as? [[String: Any]])
                #expect(page["total"] as? Int == items.count)
                #expect(page["totalOf"] as? String == "matches")
                return items.compactMap { $0["id"] as? String }.sorted()
            }
            #expect(try await favorites("") == ["1", "2"])
            let title = try #require(
                try json(await ask(harness, "/v1/tvmaze/show/1"))["title"] as? String)
            let encoded = try #require(
                title.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            #expect(try await favorites("?title=\(encoded)") == ["1"])
            #expect(try await favorites("?genre=none") == [])
            for (query, sentence) in [
                (
                    "?q=dome",
                    "Favorites have no parameter “q”; they know “title”, “from”, “to”, “genre”, "
                        + "“lang”."
                ),
                ("?title=a&title=b", "The parameter “title” is given twice."),
                ("?from=soon", "“from” is not a date. Use YYYY-MM-DD, YYYY-MM or YYYY."),
            ] {
                let answer = await ask(harness, "/v1/favorites\(query)")
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
            #expect(await ask(harness, "/t/m/tvmaze/show/1").status == .ok)
            let answer = await ask(harness, Self.favorite, method: .put)
            #expect(answer.status.code == 507)
            let type = try json(answer)["type"] as? String
            #expect(type == "urn:vitrine:problem:pins-full")
            #expect(await ask(harness, Self.favorite).status == .notFound)
        }
    }

    @Test func `favorites are put in the order of a body`() async throws {
        try await withHarness { harness in
            for id in 1...3 {
                harness.serveShow(id)
                let target = "/v1/favorites/tvmaze/show/\(id)"
                #expect(await ask(harness, target, method: .put).status == .created)
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
            let page = try json(await ask(harness, "/v1/favorites"))
            let items = try #require(page["items"] as? [[String: Any]])
            #expect(
                items.map { $0["item"] as? String }
                    == ["tvmaze/show/1", "tvmaze/show/3", "tvmaze/show/2"])
            #expect(await put(#"{"items":["nothing"]}"#).status == .badRequest)
            #expect(await put(#"{"items":["nowhere/show/1"]}"#).status == .notFound)
            #expect(await put(#"{"order":[]}"#).status == .badRequest)
            #expect(await put(order, type: nil).status == .unsupportedMediaType)
            let foreign = await Responder(harness.pipeline, ServerConfiguration()).answer(
                Request(
                    method: .put, target: "/v1/favorites",
                    fields: [.contentType: "application/json", .origin: "https://other.example"],
                    authority: "127.0.0.1:8080", body: { _ in .whole(Array(order.utf8)) }))
            #expect(foreign.status == .forbidden)
        }
    }

    @Test func `responses with favorites are revalidated each time`() async throws {
        try await withHarness { harness in
            harness.serveShow(1)
            let first = await ask(harness, "/v1/tvmaze/show/1")
            #expect(first.fields[.cacheControl] == "private, no-cache")
            #expect(try json(first)["favorite"] as? Bool == false)
            let tag = try #require(first.fields[.eTag])
            #expect(
                await ask(harness, "/v1/tvmaze/show/1", [.ifNoneMatch: tag]).status == .notModified)
            #expect(await ask(harness, Self.favorite, method: .put).status == .created)
            let second = await ask(harness, "/v1/tvmaze/show/1", [.ifNoneMatch: tag])
            #expect(try json(second)["favorite"] as? Bool == true)
            let open = await ask(harness, "/v1/tvmaze/show/1") { $0.userData = .off }
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
            #expect(await ask(harness, "/t/m/tvmaze/show/1").status == .ok)
            let target = "/v1/explain/tvmaze/show/1"
            let answer = try json(await ask(harness, target))
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
            #expect(await ask(harness, target) { $0.userData = .off }.status == .forbidden)
        }
    }

    @Test func `an item has the size of its original, or the failure that is remembered`()
        async throws
    {
        try await withHarness { harness in
            for id in 1...3 { harness.serveShow(id) }
            harness.origin.on(
                "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 680, height: 1000, seed: 1)))
            #expect(await ask(harness, "/t/m/tvmaze/show/1").status == .ok)
            #expect(await ask(harness, "/t/m/tvmaze/show/2").status == .notFound)
            let shown = try json(await ask(harness, "/v1/tvmaze/show/1"))
            #expect(shown["original"] as? [String: Int] == ["width": 680, "height": 1000])
            #expect(shown["aspectRatio"] as? Double == 0.68 && shown["failure"] == nil)
            let absent = try json(await ask(harness, "/v1/tvmaze/show/2"))
            #expect(absent["failure"] as? String == "absent" && absent["original"] == nil)
            let unknown = try json(await ask(harness, "/v1/tvmaze/show/3"))
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
                _ = await ask(harness, "/t/m/tvmaze/show/\(id)")
            }
            _ = await ask(harness, "/v1/tvmaze/show/2")
            let page = try json(await ask(harness, "/v1/recent?source=tvmaze"))
            let items = try #require(page["items"] as? [[String: Any]])
            #expect(items.map { $0["id"] as? String } == ["3", "1"])
            #expect(await ask(harness, "/v1/recent").status == .badRequest)
            #expect(await ask(harness, "/v1/recent?source=nowhere").status == .notFound)
        }
    }

    @Test func `user data is off for clients of an unconfigured proxy`() async throws {
        try await withHarness { harness in
            for name in ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"] {
                let fields: HTTPFields = [try field(name): "192.0.2.1"]
                #expect(await ask(harness, "/v1/favorites", fields).status == .forbidden)
                let open = await ask(harness, "/v1/favorites", fields) { $0.userData = .open }
                #expect(open.status == .ok)
            }
        }
    }

    @Test func `user data can require the admin token`() async throws {
        try await withHarness { harness async throws in
            let adjust: (inout ServerConfiguration) -> Void = { $0.userData = .token }
            for target in ["/v1/favorites", "/v1/history", Self.favorite] {
                let none = await ask(harness, target, adjust: adjust)
                #expect(none.status == .unauthorized)
                #expect(none.fields[.wwwAuthenticate] == "Bearer realm=\"vitrine\"")
                let good = await ask(
                    harness, target, [.authorization: "Bearer \(Self.token)"], adjust: adjust)
                #expect(good.status == (target == Self.favorite ? .notFound : .ok))
            }
            let unset = await ask(harness, "/v1/favorites") {
                ($0.userData, $0.adminToken) = (.token, nil)
            }
            #expect(unset.status == .forbidden)
        }
    }

    @Test(arguments: [
        ("127.0.0.1:8080", nil, true), ("localhost", nil, true), ("[::1]:8080", nil, true),
        (nil, nil, true), ("evil.example", nil, false), ("evil.example:8080", nil, false),
        ("127.0.0.1.evil.example", nil, false), ("pictures.example.org", nil, true),
        ("Pictures.Example.org.:443", nil, true), ("127.0.0.1:8080@evil.example", nil, false),
        ("", nil, false),
        ("127.0.0.1:8080", "http://127.0.0.1:8080", true),
        ("127.0.0.1:8080", "http://127.0.0.1:3000", false),
        ("127.0.0.1:8080", "http://localhost:8080", false),
        ("127.0.0.1:8080", "https://evil.example", false), ("127.0.0.1:8080", "null", false),
        ("127.0.0.1", "http://127.0.0.1", true), ("127.0.0.1", "http://127.0.0.1:80", true),
        ("127.0.0.1", "https://127.0.0.1:443", true),
        ("127.0.0.1:8080", "https://pictures.example.org", true),
    ])
    func `user data is for requests by a name of the service and from its own pages`(
        host: String?, origin: String?, isGood: Bool
    ) async throws {
        try await withHarness { harness async throws in
            var fields: HTTPFields = [.authorization: "Bearer \(Self.token)"]
            fields[.origin] = origin
            for target in ["/v1/favorites", "/v1/history", "/admin/warm/1"] {
                let answer = await ask(harness, target, fields, authority: host) {
                    $0.hosts = ["pictures.example.org"]
                }
                let good: HTTPResponse.Status = target.hasPrefix("/admin") ? .notFound : .ok
                #expect(answer.status == (isGood ? good : .forbidden), "\(target)")
                #expect(answer.fields[.accessControlAllowOrigin] == nil)
                #expect(answer.fields[.vary]?.contains("Origin") == true)
            }
            // Public routes accept any host name.
            let page = await ask(harness, "/healthz", fields, authority: host)
            #expect(page.status == .ok)
        }
    }

    @Test func `user data is refused to pages of other sites`() async throws {
        try await withHarness { harness in
            harness.serveShow(1)
            let name = try field("Sec-Fetch-Site")
            for (site, isGood) in [
                ("same-origin", true), ("none", true), ("cross-site", false), ("same-site", false),
            ] {
                let answer = await ask(harness, "/v1/favorites", [name: site])
                #expect(answer.status == (isGood ? .ok : .forbidden))
                let item = await ask(harness, "/v1/tvmaze/show/1", [name: site])
                #expect(item.status == .ok)
                #expect(try (json(item)["favorite"] != nil) == isGood)
            }
            let forwarded = await ask(
                harness, "/v1/favorites", [try field("X-Forwarded-Host"): "evil.example"]
            ) { $0.userData = .open }
            #expect(forwarded.status == .forbidden)
        }
    }

    @Test func `favorites over the limit are refused`() async throws {
        try await withHarness(Harness(configure: { $0.favorites.max = 2 })) {
            harness async throws in
            let put = { (id: Int) in
                await ask(harness, "/v1/favorites/tvmaze/show/\(id)", method: .put)
            }
            #expect(await put(1).status == .created)
            #expect(await put(2).status == .created)
            let full = await put(3)
            #expect(full.status == .conflict)
            #expect(try (json(full)["detail"] as? String)?.contains("favorites.max") == true)
            #expect(await put(2).status == .noContent)
            _ = await ask(harness, "/v1/favorites/tvmaze/show/1", method: .delete)
            #expect(await put(3).status == .created)
        }
    }

    @Test func `invented favorites cause only a few requests to their source per minute`()
        async throws
    {
        try await withHarness(Harness(configure: { $0.favorites.lookupsPerMinute = 2 })) {
            harness in
            for id in 1...5 {
                harness.origin.on("/shows/\(id)", host: Harness.apiHost, .status(404))
                _ = try await harness.pipeline.userData.addFavorite(harness.item(id))
            }
            for _ in 0..<5 {
                let list = try json(await ask(harness, "/v1/favorites"))
                #expect((list["items"] as? [Any])?.count == 5)
            }
            try await harness.origin.waitForRequests(2)
            for count in [4, 5] {
                harness.clock.advance(by: 61)
                await eventually {
                    _ = await ask(harness, "/v1/favorites")
                    return harness.origin.log.requests.count >= count
                }
            }
            // Each was looked up once, and its absence is remembered.
            harness.clock.advance(by: 61)
            for _ in 0..<5 { _ = await ask(harness, "/v1/favorites") }
            let asked = harness.origin.log.requests.map(\.path)
            #expect(Set(asked).count == 5 && asked.count == 5)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct PictureLifeTests {
    @Test(arguments: [
        (100, 1_000, "max-age=100, stale-while-revalidate=60, stale-if-error=900"),
        (100, 130, "max-age=100, stale-while-revalidate=30, stale-if-error=30"),
        (100, 3, "max-age=3, stale-while-revalidate=0, stale-if-error=0"),
        (-10, 20, "max-age=0, stale-while-revalidate=30, stale-if-error=30"),
        (-10, 0, "max-age=0, stale-while-revalidate=10, stale-if-error=10"),
        (100, -5, "max-age=0, stale-while-revalidate=0, stale-if-error=0"),
    ])
    func `the lifetime of a picture ends with its signed URL`(
        left: Int, linkLeft: Int, expected: String
    ) {
        var freshness = FreshnessPolicy()
        (freshness.staleWhileRevalidate, freshness.staleIfError) = (60, 10_000)
        let life = PictureLife(freshness)
        #expect(life.bounded(left: left, linkLeft: linkLeft) == "public, \(expected)")
    }
}
