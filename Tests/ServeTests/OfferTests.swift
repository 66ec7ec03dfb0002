import Catalog
import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Serve

/// What clients may ask for: `sources.offered` and `server.offers`.
@Suite(.timeLimit(.minutes(1))) struct OfferTests {
    private static let token = "a token of its own"
    private static let builtIn = ["tvmaze", "rijksmuseum", "itunes", "spotify", "tmdb"]

    private func ask(
        _ harness: Harness, _ target: String, _ groups: [RouteGroup] = [],
        _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get,
        authority: String? = "127.0.0.1:8080",
        _ adjust: (inout ServerConfiguration) -> Void = { _ in }
    ) async -> Response {
        var configuration = ServerConfiguration()
        configuration.routes = RouteOffers(groups, builtIn: Self.builtIn)
        configuration.adminToken = AdminToken(Self.token)
        adjust(&configuration)
        return await ServeTests.ask(
            harness, target, fields, method: method, authority: authority,
            configuration: configuration)
    }

    private func served() async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1)
        harness.servePicture()
        return harness
    }

    private static let ofSource: [(target: String, method: HTTPRequest.Method)] = [
        ("/t/m/tvmaze/show/1", .get), ("/t/m/tvmaze/show/1.jpg", .head), ("/o/tvmaze/show/1", .get),
        ("/v1/tvmaze/shows?page=0", .get), ("/v1/tvmaze/show/1", .get),
        ("/v1/explain/tvmaze/show/1", .get), ("/v1/recent?source=tvmaze", .get),
        ("/v1/favorites/tvmaze/show/1", .put), ("/v1/favorites/tvmaze/show/1", .get),
        ("/sheet/m/tvmaze/shows?page=0", .get), ("/sheet/m/tvmaze/shows.json?page=0", .get),
        ("/iiif/3/tvmaze%2Fshow%2F1/info.json", .get),
        ("/iiif/3/tvmaze%2Fshow%2F1/full/max/0/default.jpg", .get),
        ("/iiif/presentation/3/tvmaze/shows?page=0", .get),
        ("/iiif/presentation/3/tvmaze%2Fshow%2F1/manifest", .get),
    ]

    @Test func `a source that is not offered is 404, and no origin is asked`() async throws {
        try await withHarness(served()) { harness in
            harness.reload(offered: ["itunes"])
            for (target, method) in Self.ofSource {
                let answer = await ask(harness, target, method: method) { $0.userData = .open }
                #expect(answer.status == .notFound, "\(target)")
                #expect(!String(decoding: answer.body, as: UTF8.self).contains("rijksmuseum"))
            }
            #expect(harness.origin.log.requests.isEmpty)
            let stored = try await harness.pipeline.statistics()
            #expect(stored.originals == 0)
        }
    }

    @Test func `the operator's runs and explanations take a source that is not offered`()
        async throws
    {
        try await withHarness(served()) { harness in
            harness.reload(offered: ["itunes"])
            let item = try harness.pipeline.trustedItem(source: "tvmaze", kind: "show", id: "1")
            let made = try await harness.pipeline.pictures.ensure(item, harness.levels)
            #expect(made.failure == nil)
            let answer = await ask(
                harness, "/admin/warm", [],
                [.authorization: "Bearer \(Self.token)", .contentType: "application/json"],
                method: .post)
            // The body is empty, and not the source refused.
            #expect(answer.status == .badRequest)
        }
    }

    @Test func `a reload that no longer offers a source ends its hits`() async throws {
        try await withHarness(served()) { harness in
            try await RunningServer.with(harness.pipeline) { running in
                let connection = try await running.connect()
                let targets = ["/t/m/tvmaze/show/1", "/t/m/tvmaze/show/1.jpg", "/v1/tvmaze/show/1"]
                for target in targets + targets {
                    connection.forget()
                    try await connection.send(request(target))
                    #expect(await connection.answers(1).first?.status == 200)
                }
                harness.reload(offered: ["itunes"])
                running.reload()
                // As a warm run of the operator would.
                _ = try await harness.pipeline.pictures.ensure(harness.item(1), harness.levels)
                _ = try await harness.picture(1)
                let asked = harness.origin.log.requests.count
                for target in targets + targets {
                    connection.forget()
                    try await connection.send(request(target))
                    #expect(await connection.answers(1).first?.status == 404, "\(target)")
                }
                #expect(harness.origin.log.requests.count == asked)
            }
        }
    }

    @Test func `the description and the gallery show offered sources only`() async throws {
        try await withHarness(served()) { harness in
            harness.reload(offered: ["itunes"])
            for target in ["/openapi.json", "/", "/v1"] {
                let text = String(decoding: await ask(harness, target).body, as: UTF8.self)
                #expect(text.contains("itunes/albums"), "\(target)")
                // The page's script knows two of the names.
                let others =
                    target == "/"
                    ? ["tvmaze", "tmdb"] : ["tvmaze", "rijksmuseum", "spotify", "tmdb"]
                for name in others {
                    #expect(!text.contains("\(name)/"), "\(name) in \(target)")
                }
            }
            let status = String(decoding: await ask(harness, "/v1/status").body, as: UTF8.self)
            #expect(status.contains("itunes") && !status.contains("tvmaze"))
        }
    }

    @Test(arguments: [
        (RouteGroup.thumbnails, "/t/m/tvmaze/show/1"), (.originals, "/o/tvmaze/show/1"),
        (.lists, "/v1/tvmaze/show/1"), (.gallery, "/"), (.gallery, "/v1/status"),
        (.iiif, "/iiif/3/tvmaze%2Fshow%2F1/info.json"), (.metrics, "/metrics"),
        (.blobs, "/b/sha256-\(String(repeating: "0", count: 64))"),
        (.sheets, "/sheet/m/tvmaze/shows?page=0"),
    ])
    func `a group of routes exists if it is named`(group: RouteGroup, target: String) async throws {
        try await withHarness(served()) { harness in
            harness.origin.on("/shows", host: Harness.apiHost, .json("[\(Harness.show(1))]"))
            let others = RouteGroup.allCases.filter { $0 != group && $0 != .metrics }
            let named = await ask(harness, target, [group], [.xForwardedFor: "192.0.2.1"])
            // An unknown blob has a sentence of its own.
            let known: HTTPResponse.Status = group == .blobs ? .notFound : .ok
            #expect(named.status == known)
            #expect(!Self.isUnknown(named))
            let asked = harness.origin.log.requests.count
            let other = await ask(harness, target, others, [.xForwardedFor: "192.0.2.1"])
            #expect(other.status == .notFound && Self.isUnknown(other))
            #expect(harness.origin.log.requests.count == asked)
            for (groups, isThere) in [([group], true), (others, false)] {
                let text = String(
                    decoding: await ask(
                        harness, "/openapi.json", groups, [.xForwardedFor: "192.0.2.1"]
                    ).body, as: UTF8.self)
                let path = Self.described[target] ?? target
                #expect(text.contains("\"\(path)\"") == isThere, "\(path)")
            }
        }
    }

    private static let described = [
        "/t/m/tvmaze/show/1": "/t/{level}/tvmaze/show/{id}",
        "/o/tvmaze/show/1": "/o/tvmaze/show/{id}",
        "/v1/tvmaze/show/1": "/v1/tvmaze/show/{id}",
        "/iiif/3/tvmaze%2Fshow%2F1/info.json": "/iiif/3/{identifier}/info.json",
        "/b/sha256-\(String(repeating: "0", count: 64))": "/b/{digest}",
        "/sheet/m/tvmaze/shows?page=0": "/sheet/{level}/tvmaze/shows",
    ]

    /// Whether the response is that of a path which leads nowhere.
    private static func isUnknown(_ answer: Response) -> Bool {
        (try? json(answer))?["type"] as? String == "urn:vitrine:problem:unknown-route"
    }

    /// Fields, `Host`, what changes the service, and whether the client is known.
    struct Client: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fields: HTTPFields = [:]
        var authority: String? = "127.0.0.1:8080"
        var host = "127.0.0.1"
        var isBehindProxy = false
        var isKnown: Bool
    }

    private static let clients = [
        Client(testDescription: "of this machine", isKnown: true),
        Client(testDescription: "localhost", authority: "localhost:8080", isKnown: true),
        Client(
            testDescription: "with the token", fields: [.authorization: "Bearer \(token)"],
            host: "0.0.0.0", isKnown: true),
        Client(
            testDescription: "with the token behind a proxy",
            fields: [.authorization: "Bearer \(token)", .xForwardedFor: "192.0.2.1"],
            isBehindProxy: true, isKnown: true),
        Client(
            testDescription: "with a wrong token", fields: [.authorization: "Bearer nothing"],
            host: "0.0.0.0", isKnown: false),
        Client(testDescription: "of a network", host: "0.0.0.0", isKnown: false),
        Client(
            testDescription: "behind a proxy", fields: [.xForwardedFor: "192.0.2.1"], isKnown: false
        ),
        Client(testDescription: "behind a silent proxy", authority: "localhost", isKnown: false),
        Client(
            testDescription: "behind a proxy of the settings", isBehindProxy: true, isKnown: false),
    ]

    @Test(arguments: clients)
    func `strangers get neither metrics nor originals of built-in sources by default`(
        client: Client
    ) async throws {
        try await withHarness(served()) { harness in
            func answer(_ target: String, _ groups: [RouteGroup] = []) async -> Response {
                await ask(harness, target, groups, client.fields, authority: client.authority) {
                    ($0.host, $0.isBehindProxy) = (client.host, client.isBehindProxy)
                }
            }
            for target in ["/metrics", "/o/tvmaze/show/1", "/o/%74vmaze/show/1"] {
                let first = await answer(target)
                #expect(first.status == (client.isKnown ? .ok : .notFound), "\(target)")
                if client.isKnown, target != "/metrics" {
                    #expect(first.fields[.cacheControl]?.hasPrefix("private") == true)
                }
            }
            if !client.isKnown { #expect(harness.origin.log.requests.isEmpty) }
            // Named, they are for all.
            for (target, group) in [
                ("/metrics", RouteGroup.metrics), ("/o/tvmaze/show/1", .originals),
            ] {
                let named = await answer(target, [group])
                #expect(named.status == .ok)
                #expect(named.fields[.cacheControl]?.hasPrefix("private") != true)
            }
            #expect(await answer("/t/m/tvmaze/show/1").status == .ok)
            let ready = await answer("/readyz")
            #expect(ready.status == .ok)
            #expect(await answer("/healthz").status == .ok)
            let described = String(decoding: await answer("/openapi.json").body, as: UTF8.self)
            #expect(described.contains("\"/o/tvmaze/show/{id}\"") == client.isKnown)
            #expect(described.contains("\"/metrics\"") == client.isKnown)
            let page = String(decoding: await answer("/").body, as: UTF8.self)
            #expect(page.contains(#""withoutOriginals":["#))
            #expect(page.contains(#""withoutOriginals":[]"#) == client.isKnown)
        }
    }

    @Test func `a stranger learns from readiness the status alone`() async throws {
        try await withHarness { harness in
            for (fields, hasReason) in [
                ([:], true), ([.xForwardedFor: "192.0.2.1"], false),
            ] as [(HTTPFields, Bool)] {
                let answer = await ask(harness, "/readyz", [], fields) {
                    $0.unreadiness = { "The queue can't be reached." }
                }
                #expect(answer.status == .serviceUnavailable)
                let detail = try json(answer)["detail"] as? String ?? ""
                #expect(detail.contains("queue") == hasReason)
            }
        }
    }

    @Test func `an original that strangers don't get is never a hit for them`() async throws {
        try await withHarness(served()) { harness in
            try await RunningServer.with(
                harness.pipeline,
                {
                    $0.routes = RouteOffers([], builtIn: Self.builtIn)
                    $0.adminToken = AdminToken(Self.token)
                }
            ) { running in
                let connection = try await running.connect()
                for _ in 0..<3 {
                    for path in ["/o/tvmaze/show/1", "/o/%74vmaze/show/1"] {
                        connection.forget()
                        try await connection.send(
                            request(path, "Authorization: Bearer \(Self.token)\r\n"))
                        #expect(await connection.answers(1).first?.status == 200)
                        connection.forget()
                        try await connection.send(request(path))
                        #expect(await connection.answers(1).first?.status == 404)
                    }
                }
            }
        }
    }

    @Test func `the overview names sources, lists with their filters, levels and formats`()
        async throws
    {
        let list = ListDefinition(name: "posters", title: "Posters", place: "/nowhere/posters.csv")
        try await withHarness(Harness(lists: [list])) { harness in
            harness.reload(offered: ["posters", "url"])
            let overview = try json(await ask(harness, "/v1"))
            let sources = try #require(overview["sources"] as? [[String: Any]])
            #expect(sources.map { $0["name"] as? String } == ["posters"])
            let lists = try #require(sources[0]["lists"] as? [[String: Any]])
            #expect(lists.map { $0["url"] as? String } == ["/v1/posters/pictures"])
            #expect(
                lists[0]["parameters"] as? [String]
                    == ["q", "title", "sort", "limit", "page", "after"])
            #expect(lists[0]["filters"] as? [String] == [])
            let levels = try #require(overview["levels"] as? [[String: Any]])
            #expect(
                levels.first?["name"] as? String == "xs" && levels.first?["width"] as? Int == 80)
            #expect((overview["formats"] as? [String])?.contains("avif") == true)
        }
    }

    @Test func `crawlers are asked to leave lists, originals and sheets alone`() async throws {
        try await withHarness { harness in
            let answer = await ask(harness, "/robots.txt", [.thumbnails])
            #expect(answer.status == .ok)
            let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
            #expect(lines.first == "User-agent: *")
            for path in ["/v1/", "/o/", "/sheet/", "/iiif/"] {
                #expect(lines.contains("Disallow: \(path)"))
            }
            #expect(!lines.contains("Disallow: /t/"))
        }
    }
}

extension HTTPField.Name {
    fileprivate static let xForwardedFor = constant("X-Forwarded-For")
}
