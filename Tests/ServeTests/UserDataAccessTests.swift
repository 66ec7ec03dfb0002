import Foundation
import HTTP
import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Which clients may use favorites and history.
@Suite(.timeLimit(.minutes(1))) struct UserDataAccessTests {
    private let client = UserDataClient()

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
                ("/v1/favorites", HTTPRequest.Method.get, 200),
                (UserDataClient.favorite, .put, 201),
                (UserDataClient.favorite, .get, 200), (UserDataClient.favorite, .delete, 204),
                ("/v1/history", .get, 200),
                ("/v1/history", .delete, 204),
            ] {
                let answer = await client.ask(harness, target, method: method, adjust: adjust)
                #expect(answer.status.code == (isOpen ? good : 403), "\(method) \(target)")
                if !isOpen {
                    let detail = try json(answer)["detail"] as? String
                    #expect(detail?.contains("userData") == true)
                }
            }
            let item = await client.ask(harness, "/v1/tvmaze/show/1", adjust: adjust)
            #expect(try (json(item)["favorite"] != nil) == isOpen)
            #expect(item.fields[.cacheControl]?.hasPrefix(isOpen ? "private" : "public") == true)
            #expect((item.fields[.accessControlAllowOrigin] == nil) == isOpen)
            _ = await client.ask(harness, "/v1/tvmaze/search?q=dome", adjust: adjust)
            #expect(try await harness.pipeline.userData.searches().count == (isOpen ? 1 : 0))
        }
    }

    @Test func `user data is off for clients of an unconfigured proxy`() async throws {
        try await withHarness { harness in
            for name in [
                "X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "X-Forwarded-Proto",
                "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Server", "CF-Connecting-IP",
                "True-Client-IP", "CDN-Loop", "X-Client-IP", "X-Envoy-External-Address",
            ] {
                let fields: HTTPFields = [try client.field(name): "192.0.2.1"]
                #expect(await client.ask(harness, "/v1/favorites", fields).status == .forbidden)
                let open = await client.ask(harness, "/v1/favorites", fields) {
                    ($0.userData, $0.hosts) = (.open, ["192.0.2.1"])
                }
                #expect(open.status == .ok)
            }
        }
    }

    /// A proxy on this machine that names no client passes on what a client says, or its own name for the
    /// service.
    @Test(
        arguments: [
            ("127.0.0.1:8080", 8080, true), ("localhost:8080", 8080, true),
            ("[::1]:8080", 8080, true),
            ("a.localhost:8080", 8080, true), ("127.0.0.1", 80, true), ("localhost:80", 80, true),
            // Any free port.
            ("127.0.0.1:45000", 0, true), ("localhost", 0, false),
            ("localhost", 8080, false), ("127.0.0.1", 8080, false), ("localhost:80", 8080, false),
            ("localhost:8081", 8080, false), ("localhost:", 8080, false), ("[::1]", 8080, false),
            ("localhost:8080x", 8080, false), ("192.0.2.1:8080", 8080, false),
            ("vitrine:8080", 8080, false), ("vitrine", 8080, false),
            ("pictures.example.org:8080", 8080, false), (nil, 8080, false), ("", 8080, false),
        ] as [(String?, Int, Bool)])
    func `a client is of this machine only if it names the very address of the service`(
        host: String?, port: Int, isLocal: Bool
    ) async throws {
        try await withHarness { harness async throws in
            harness.serveShow(1)
            harness.origin.on("/search/shows", host: Harness.apiHost, .json("[\(Harness.show(1))]"))
            let adjust: (inout ServerConfiguration) -> Void = {
                ($0.port, $0.hosts) = (port, ["pictures.example.org"])
            }
            for target in ["/v1/favorites", "/v1/history", "/v1/recent?source=tvmaze"] {
                let answer = await client.ask(harness, target, authority: host, adjust: adjust)
                #expect(answer.status == (isLocal ? .ok : .forbidden), "\(target)")
            }
            let item = await client.ask(
                harness, "/v1/tvmaze/show/1", authority: host, adjust: adjust)
            #expect(try (json(item)["favorite"] != nil) == isLocal)
            _ = await client.ask(
                harness, "/v1/tvmaze/search?q=dome", authority: host, adjust: adjust)
            #expect(try await harness.pipeline.userData.searches().count == (isLocal ? 1 : 0))
        }
    }

    @Test func `a client of HTTP/1.0 is not of this machine, because proxies send that`()
        async throws
    {
        try await withHarness { harness async throws in
            let head = RequestHead(
                Array("GET /v1/favorites HTTP/1.0\r\nHost: 127.0.0.1:8080\r\n\r\n".utf8))
            for (isVersion10, status) in [(true, HTTPResponse.Status.forbidden), (false, .ok)] {
                let request = try #require(Request(head: head, isVersion10: isVersion10))
                let answer = await Responder(harness.pipeline, ServerConfiguration())
                    .answer(request)
                #expect(answer.status == status)
            }
        }
    }

    @Test func `user data can require the admin token`() async throws {
        try await withHarness { harness async throws in
            let adjust: (inout ServerConfiguration) -> Void = { $0.userData = .token }
            for target in ["/v1/favorites", "/v1/history", UserDataClient.favorite] {
                let none = await client.ask(harness, target, adjust: adjust)
                #expect(none.status == .unauthorized)
                #expect(none.fields[.wwwAuthenticate] == "Bearer realm=\"vitrine\"")
                let good = await client.ask(
                    harness, target, [.authorization: "Bearer \(UserDataClient.token)"],
                    adjust: adjust)
                #expect(good.status == (target == UserDataClient.favorite ? .notFound : .ok))
            }
            let unset = await client.ask(harness, "/v1/favorites") {
                ($0.userData, $0.adminToken) = (.token, nil)
            }
            #expect(unset.status == .forbidden)
        }
    }

    @Test func `user data is for requests by a name of the service and from its own pages`()
        async throws
    {
        try await withHarness { harness async throws in
            for (host, origin, isGood) in [
                ("127.0.0.1:8080", nil, true), ("localhost", nil, true), ("[::1]:8080", nil, true),
                (nil, nil, true), ("evil.example", nil, false), ("evil.example:8080", nil, false),
                ("127.0.0.1.evil.example", nil, false), ("pictures.example.org", nil, true),
                ("Pictures.Example.org.:443", nil, true),
                ("127.0.0.1:8080@evil.example", nil, false),
                ("", nil, false),
                ("127.0.0.1:8080", "http://127.0.0.1:8080", true),
                ("127.0.0.1:8080", "http://127.0.0.1:3000", false),
                ("127.0.0.1:8080", "http://localhost:8080", false),
                ("127.0.0.1:8080", "https://evil.example", false),
                ("127.0.0.1:8080", "null", false),
                ("127.0.0.1", "http://127.0.0.1", true), ("127.0.0.1", "http://127.0.0.1:80", true),
                ("127.0.0.1", "https://127.0.0.1:443", true),
                ("127.0.0.1:8080", "https://pictures.example.org", true),
            ] as [(String?, String?, Bool)] {
                var fields: HTTPFields = [.authorization: "Bearer \(UserDataClient.token)"]
                fields[.origin] = origin
                for target in ["/v1/favorites", "/v1/history", "/admin/warm/1"] {
                    let answer = await client.ask(harness, target, fields, authority: host) {
                        ($0.userData, $0.hosts) = (.open, ["pictures.example.org"])
                    }
                    let good: HTTPResponse.Status = target.hasPrefix("/admin") ? .notFound : .ok
                    #expect(
                        answer.status == (isGood ? good : .forbidden),
                        "\(target) \(host ?? "") \(origin ?? "")")
                    #expect(answer.fields[.accessControlAllowOrigin] == nil)
                    #expect(answer.fields[.vary]?.contains("Origin") == true)
                }
                // Public routes accept any host name.
                let page = await client.ask(harness, "/healthz", fields, authority: host)
                #expect(page.status == .ok)
            }
        }
    }

    @Test func `user data is refused to pages of other sites`() async throws {
        try await withHarness { harness in
            harness.serveShow(1)
            let name = try client.field("Sec-Fetch-Site")
            for (site, isGood) in [
                ("same-origin", true), ("none", true), ("cross-site", false), ("same-site", false),
            ] {
                let answer = await client.ask(harness, "/v1/favorites", [name: site])
                #expect(answer.status == (isGood ? .ok : .forbidden))
                let item = await client.ask(harness, "/v1/tvmaze/show/1", [name: site])
                #expect(item.status == .ok)
                #expect(try (json(item)["favorite"] != nil) == isGood)
            }
            let forwarded = await client.ask(
                harness, "/v1/favorites", [try client.field("X-Forwarded-Host"): "evil.example"]
            ) { $0.userData = .open }
            #expect(forwarded.status == .forbidden)
        }
    }
}

/// Asks for user data as a client of this machine.
struct UserDataClient {
    static let token = "a token of its own"
    static let favorite = "/v1/favorites/tvmaze/show/1"

    func ask(
        _ harness: Harness, _ target: String, _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get, authority: String? = "127.0.0.1:8080",
        adjust: (inout ServerConfiguration) -> Void = { _ in }
    ) async -> Response {
        var configuration = ServerConfiguration()
        configuration.adminToken = AdminToken(Self.token)
        adjust(&configuration)
        return await ServeTests.ask(
            harness, target, fields, method: method, authority: authority,
            configuration: configuration)
    }

    func field(_ name: String) throws -> HTTPField.Name {
        try #require(HTTPField.Name(name))
    }
}
