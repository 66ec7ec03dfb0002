import Foundation
import HTTPTypes
import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// The admin routes over a whole pipeline, without sockets.
@Suite(.timeLimit(.minutes(1))) struct AdminResponderTests {
    @Test(arguments: ["/admin/purge", "/admin/warm"])
    func `without a configured token /admin is refused`(_ target: String) async throws {
        try await withHarness { harness async throws in
            for token in [nil, ""] {
                let answer = await AdminClient(harness, token: token)
                    .ask(.post, target, "{\"all\":true}", [.authorization: "Bearer "])
                #expect(answer.status == .forbidden)
                #expect(
                    try ServeTests.json(answer)["detail"] as? String
                        == "The admin routes need a token: set VITRINE_ADMIN_TOKEN.")
            }
        }
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Bearer wrong", "Basic a token of its own",
        "Bearer a token of its ow", "a token of its own",
    ])
    func `a wrong token gets a challenge`(_ authorization: String?) async throws {
        try await withHarness { harness async throws in
            var fields = AdminClient.json
            fields[.authorization] = authorization
            for target in ["/admin/purge", "/admin/warm"] {
                let answer = await AdminClient(harness).ask(.post, target, "{\"all\":true}", fields)
                #expect(answer.status == .unauthorized)
                #expect(answer.fields[.wwwAuthenticate] == "Bearer realm=\"vitrine\"")
                #expect(!String(decoding: answer.body, as: UTF8.self).contains(AdminClient.token))
            }
            let progress = await AdminClient(harness).ask(.get, "/admin/warm/1", "", fields)
            #expect(progress.status == .unauthorized)
        }
    }

    @Test func `an invalid admin request is refused`() async throws {
        try await withHarness { harness async throws in
            for (target, body, status) in [
                ("/admin/purge", "", 400), ("/admin/purge", "[]", 400), ("/admin/purge", "{}", 400),
                ("/admin/purge", "{\"all\":false}", 400),
                ("/admin/purge", "{\"all\":\"yes\"}", 400),
                ("/admin/purge", "{\"all\":true,\"source\":\"tvmaze\"}", 400),
                ("/admin/purge", "{\"al\":true}", 400),
                ("/admin/purge", "{\"item\":\"tvmaze/show/x\"}", 400),
                ("/admin/purge", "{\"item\":\"all\"}", 400),
                ("/admin/purge", "{\"source\":\"all\"}", 400),
                ("/admin/purge", "{\"source\":\"nobody\"}", 404),
                ("/admin/warm", "{}", 400), ("/admin/warm", "{\"items\":[]}", 400),
                ("/admin/warm", "{\"items\":[\"x\"]}", 400),
                ("/admin/warm", "{\"items\":[\"tvmaze/show/1\"],\"levels\":[\"giant\"]}", 404),
                ("/admin/warm", "{\"items\":[\"tvmaze/show/1\"],\"levels\":[]}", 400),
                ("/admin/warm", "{\"items\":[\"tvmaze/show/1\"],\"formats\":[\"gif\"]}", 400),
                ("/admin/warm", "{\"source\":\"tvmaze\"}", 400),
                ("/admin/warm", "{\"source\":\"tvmaze\",\"list\":\"shows\",\"limit\":0}", 400),
                ("/admin/purge", String(repeating: " ", count: 1 << 20) + "{}", 413),
            ] {
                let answer = await AdminClient(harness).ask(.post, target, body)
                #expect(answer.status.code == status, "\(body.prefix(80))")
                #expect(answer.fields[.contentType] == "application/problem+json")
                #expect(answer.fields[.accessControlAllowOrigin] == nil)
            }
        }
    }

    @Test func `a body that isn't JSON is refused by its type, and GET by its method`()
        async throws
    {
        try await withHarness { harness async throws in
            var fields = AdminClient.json
            fields[.contentType] = "text/plain"
            let answer = await AdminClient(harness).ask(.post, "/admin/purge", "{}", fields)
            #expect(answer.status == .unsupportedMediaType)
            let refused = await AdminClient(harness).ask(.get, "/admin/purge")
            #expect(refused.status == .methodNotAllowed)
            #expect(refused.fields[.allow] == "POST, OPTIONS")
            fields[.contentType] = "application/json; charset=utf-8"
            let good = await AdminClient(harness).ask(
                .post, "/admin/purge", "{\"source\":\"tvmaze\"}", fields)
            #expect(good.status == .ok)
        }
    }

    @Test func `a purge says what it removed`() async throws {
        try await withHarness { harness in
            harness.servePicture()
            for format in [ThumbnailFormat.webp, .jpeg] {
                _ = try await harness.picture(1, "xs", format)
            }
            let purged = try ServeTests.json(
                await AdminClient(harness).ask(
                    .post, "/admin/purge", "{\"item\":\"tvmaze/show/1\"}"))
            #expect(purged["thumbnails"] as? Int == 2)
            #expect(purged["soft"] as? Bool == false)
        }
    }

    @Test func `a purge that caches in front have yet to hear of is accepted, not done`()
        async throws
    {
        struct Unheard: PurgeHook {
            func purged(_ tags: [String], soft: Bool) {}
        }
        let harness = try await Harness(hook: Unheard())
        try await withHarness(harness) { harness async throws in
            let answer = await AdminClient(harness).ask(.post, "/admin/purge", "{\"all\":true}")
            #expect(answer.status == .accepted)
            #expect(try ServeTests.json(answer)["thumbnails"] as? Int == 0)
        }
    }

    @Test func `stopping the server ends warm runs and prevents new ones`() async throws {
        try await withHarness { harness in
            let gate = Gate()
            harness.origin.on("/shows/1", host: Harness.apiHost, .status(503).delayed(until: gate))
            let client = AdminClient(harness)
            let body = "{\"items\":[\"tvmaze/show/1\"]}"
            let place = await client.ask(.post, "/admin/warm", body).fields[.location]
            try await harness.origin.waitForRequests(1)
            await client.responder.end()
            gate.open()
            let told = try ServeTests.json(await client.ask(.get, try #require(place)))
            #expect(told["state"] as? String != "running")
            #expect(await client.ask(.post, "/admin/warm", body).status.code == 503)
        }
    }

    @Test(arguments: [
        "/healthz", "/readyz", "/v1/favorites", "/v1/history", "/v1/tvmaze/nothing", "/nowhere",
        "/t/m/tvmaze/show/9", "/t/giant/tvmaze/show/1", "/t/m/url/a/b", "/o/tvmaze/show/9",
        "/b/sha256-0", "/sheet/m/tvmaze/nothing", "/admin/purge", "/admin/warm", "/admin/warm/1",
    ])
    func `every response has the security fields and leaks nothing`(_ target: String) async throws {
        try await withHarness { harness async throws in
            harness.origin.on("/shows/9", host: Harness.apiHost, .status(404))
            let client = AdminClient(harness)
            for method in [HTTPRequest.Method.get, .post, .delete, .options] {
                let answer = await client.ask(
                    method, target, "", [.accept: "application/json"])
                #expect(answer.fields[.xContentTypeOptions] == "nosniff")
                #expect(
                    answer.fields[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
                let all =
                    String(decoding: answer.body, as: UTF8.self)
                    + answer.fields.map { "\($0.name): \($0.value)\n" }.joined()
                for secret in Harness.secrets + [
                    AdminClient.token, harness.directory.path, ".swift", "0x",
                ] {
                    #expect(!all.contains(secret))
                }
            }
        }
    }
}
