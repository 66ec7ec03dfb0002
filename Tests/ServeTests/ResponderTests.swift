import Foundation
import HTTPTypes
import Hashing
import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Answers over a whole pipeline, without sockets.
@Suite(.timeLimit(.minutes(1))) struct ResponderTests {
    private static let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)

    /// Show 1 with one picture, fresh for 100 s.
    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        harness.origin.on("/original/1.jpg", .jpeg(Self.original, maxAge: 100, tag: "a"))
        return harness
    }

    @Test func `a thumbnail has the header fields that caches and clients need`() async throws {
        try await withHarness(harness()) { harness async throws in
            let cold = await ask(harness, "/t/m/tvmaze/show/1")
            #expect(cold.status == .ok)
            #expect(cold.fields[.contentType] == "image/webp")
            #expect(cold.fields[.vary] == "Accept")
            #expect(
                cold.fields[.cacheControl]
                    == "public, max-age=100, stale-while-revalidate=86400, stale-if-error=604800")
            #expect(cold.fields[.lastModified] == "Tue, 14 Nov 2023 22:13:20 GMT")
            #expect(cold.fields[.eTag]?.hasPrefix("\"sha256-") == true)
            #expect(try cold.fields[name("Repr-Digest")]?.hasPrefix("sha-256=:") == true)
            #expect(try cold.fields[name("Cache-Status")] == "vitrine; fwd=miss; stored")
            #expect(cold.fields[.xContentTypeOptions] == "nosniff")
            #expect(cold.fields[.accessControlAllowOrigin] == "*")
            harness.clock.advance(by: 40)
            let hit = await ask(harness, "/t/m/tvmaze/show/1")
            #expect(try hit.fields[name("Cache-Status")] == "vitrine; hit")
            #expect(hit.fields[.cacheControl]?.hasPrefix("public, max-age=60,") == true)
            #expect(hit.body == cold.body)
            let known = await ask(
                harness, "/t/m/tvmaze/show/1", [.ifNoneMatch: hit.fields[.eTag] ?? ""])
            #expect(known.status == .notModified && known.body.isEmpty)
            #expect(known.fields[.eTag] == hit.fields[.eTag])
            #expect(known.fields[.cacheControl] == hit.fields[.cacheControl])
            // An extension fixes the format.
            let named = await ask(harness, "/t/m/tvmaze/show/1.jpg", [.accept: "image/webp"])
            #expect(named.fields[.contentType] == "image/jpeg" && named.fields[.vary] == nil)
        }
    }

    @Test(arguments: [
        "/t/m/tvmaze/show/1", "/o/tvmaze/show/1", "/v1/tvmaze/shows", "/v1/favorites",
        "/admin/warm", "/", "/openapi.json",
    ]) func `a process that serves no pictures answers nothing but its own state`(_ path: String)
        async throws
    {
        try await withHarness(harness()) { harness in
            var configuration = ServerConfiguration()
            configuration.offer = .operations
            let foreign = await ask(harness, path, configuration: configuration)
            #expect(foreign.status == .notFound)
            for own in ["/metrics", "/healthz", "/readyz"] {
                let answer = await ask(harness, own, configuration: configuration)
                #expect(answer.status == .ok, "\(own)")
            }
        }
    }

    @Test func `a process that can't do its work is not ready, and says why`() async throws {
        try await withHarness(harness()) { harness async throws in
            var configuration = ServerConfiguration()
            configuration.unreadiness = { "The queue can't be reached." }
            let answer = await ask(harness, "/readyz", configuration: configuration)
            #expect(answer.status == .serviceUnavailable)
            #expect(try json(answer)["detail"] as? String == "The queue can't be reached.")
            let health = await ask(harness, "/healthz", configuration: configuration)
            #expect(health.status == .ok)
        }
    }

    private func name(_ text: String) throws -> HTTPField.Name {
        try #require(HTTPField.Name(text))
    }

    @Test(arguments: [
        ("/original/1.jpg", OriginReply.status(404), 404),
        ("/original/1.jpg", .status(503), 502), ("/original/1.jpg", .html("<html></html>"), 415),
        ("/shows/1", .status(503), 502), ("/shows/1", .status(504), 504),
        ("/original/1.jpg", .redirect(to: "https://10.0.0.1/"), 403),
    ])
    func `a placeholder has the true status and the failure's lifetime`(
        path: String, reply: OriginReply, status: Int
    ) async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on(path, reply)
            let answer = await ask(harness, "/t/m/tvmaze/show/1")
            #expect(answer.status.code == status)
            #expect(answer.fields[.contentType] == "image/webp")
            let cacheStatus = try #require(answer.fields[name("Cache-Status")])
            #expect(cacheStatus.hasSuffix("detail=placeholder"))
            let life = ["404": 86_400, "502": 30, "504": 30][String(status)] ?? 3_600
            #expect(answer.fields[.cacheControl] == "public, max-age=\(life)")
            let problem = await ask(harness, "/t/m/tvmaze/show/1", [.accept: "application/json"])
            #expect(problem.status.code == status)
            #expect(problem.fields[.contentType] == "application/problem+json")
            #expect(try json(problem)["status"] as? Int == status)
        }
    }

    @Test func `a placeholder that can't be rendered is a problem with the same status`()
        async throws
    {
        var imaging = ImagingConfiguration.patient
        imaging.isolation.executable = ChildPrograms.helper
        imaging.isolation.arguments = ["render", "aborts"]
        try await withHarness(Harness(imaging: imaging)) { harness async throws in
            harness.serveShow(1, medium: nil)
            harness.origin.on("/original/1.jpg", .html("<html></html>"))
            for _ in 0..<2 {
                let answer = await ask(harness, "/t/m/tvmaze/show/1")
                #expect(answer.status.code == 415)
                #expect(answer.fields[.contentType] == "application/problem+json")
                #expect(answer.fields[.cacheControl]?.contains("max-age=3600") == true)
                #expect(try json(answer)["type"] as? String != nil)
            }
        }
    }

    @Test func `the placeholder's status can be 200 for clients that need it`() async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on("/original/1.jpg", .status(404))
            var configuration = ServerConfiguration()
            configuration.placeholderStatus = 200
            let answer = await ask(harness, "/t/m/tvmaze/show/1", configuration: configuration)
            #expect(answer.status == .ok)
            let tag = try #require(answer.fields[.eTag])
            let again = await ask(
                harness, "/t/m/tvmaze/show/1", [.ifNoneMatch: tag], configuration: configuration)
            #expect(again.status == .notModified)
            let natural = await ask(harness, "/t/m/tvmaze/show/1", [.ifNoneMatch: tag])
            #expect(natural.status == .notFound)
        }
    }

    @Test func `originals and blobs are served as they are stored`() async throws {
        try await withHarness(harness()) { harness in
            let original = await ask(harness, "/o/tvmaze/show/1")
            // An SVG opened by its URL doesn't run scripts.
            #expect(original.fields[.contentSecurityPolicy]?.hasSuffix("; sandbox") == true)
            #expect(try await original.collected() == Self.original)
            #expect(original.fields[.contentType] == "image/jpeg")
            let tag = try #require(original.fields[.eTag]).filter { $0 != "\"" }
            let blob = await ask(harness, "/b/\(tag).jpg")
            #expect(try await blob.collected() == Self.original)
            #expect(blob.fields[.cacheControl] == "public, max-age=31536000, immutable")
            let unknown = await ask(harness, "/b/sha256-\(String(repeating: "0", count: 64))")
            #expect(unknown.status == .notFound)
        }
    }

    @Test func `ranges of an original are served if the client has the same one`() async throws {
        try await withHarness(harness()) { harness in
            let whole = await ask(harness, "/o/tvmaze/show/1")
            #expect(whole.fields[.acceptRanges] == "bytes")
            let part = await ask(harness, "/o/tvmaze/show/1", [.range: "bytes=2-5"])
            #expect(part.status == .partialContent)
            #expect(try await part.collected() == Array(Self.original[2...5]))
            #expect(part.fields[.contentRange] == "bytes 2-5/\(Self.original.count)")
            #expect(part.fields[.eTag] == whole.fields[.eTag])
            let tag = try #require(whole.fields[.eTag])
            let same = await ask(harness, "/o/tvmaze/show/1", [.range: "bytes=0-0", .ifRange: tag])
            #expect(same.length == 1)
            let other = await ask(
                harness, "/o/tvmaze/show/1", [.range: "bytes=0-0", .ifRange: "\"other\""])
            #expect(other.status == .ok)
            let beyond = await ask(harness, "/o/tvmaze/show/1", [.range: "bytes=99999999-"])
            #expect(beyond.status == .rangeNotSatisfiable)
            #expect(beyond.fields[.contentRange] == "bytes */\(Self.original.count)")
            let head = await ask(
                harness, "/o/tvmaze/show/1", [.range: "bytes=0-0"], method: .head)
            #expect(head.status == .ok)
        }
    }

    @Test func `several ranges are one multipart response`() async throws {
        try await withHarness(harness()) { harness in
            let answer = await ask(harness, "/o/tvmaze/show/1", [.range: "bytes=0-1,-2"])
            #expect(answer.status == .partialContent)
            let type = try #require(answer.fields[.contentType])
            let boundary = try #require(type.split(separator: "=").last)
            let length = Self.original.count
            func part(_ range: Range<Int>) -> [UInt8] {
                let head = """
                    --\(boundary)\r\nContent-Type: image/jpeg\r\n\
                    Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)\r\n\r\n
                    """
                return Array(head.utf8) + Self.original[range] + Array("\r\n".utf8)
            }
            #expect(
                try await answer.collected() == part(0..<2) + part(length - 2..<length)
                    + Array("--\(boundary)--\r\n".utf8))
        }
    }

    @Test func `an invalid request is answered with a problem document`() async throws {
        try await withHarness(harness()) { harness in
            for (target, status, type) in [
                ("/t/q/tvmaze/show/1", 404, "unknown-level"),
                ("/t/m/nope/show/1", 404, "unknown-source"),
                ("/t/m/tvmaze/show/abc", 400, "invalid-request"),
                ("/t/m/tvmaze/nope/1", 404, "not-found"), ("/nope", 404, "unknown-route"),
                ("/t/m/tvmaze/show/%2e%2e", 400, "malformed-path"),
                ("/t/m/tvmaze/show/1.tiff", 404, "unknown-format"),
                ("/v1/tvmaze/shows?page=x", 400, "invalid-request"),
                ("/v1/tvmaze/search?q=ab", 400, "invalid-request"),
                ("/v1/tvmaze/search?q=a%00bc", 400, "malformed-path"),
                ("/v1/tvmaze/shows?page=0&from=2020&to=2010", 400, "invalid-request"),
                ("/v1/tvmaze/shows?page=0&page=1", 400, "invalid-request"),
                ("/t/m/url/AA/YQ", 503, "source-not-configured"),
                ("/o/url/image/YQ", 404, "not-found"),
            ] {
                let answer = await ask(harness, target)
                #expect(answer.status.code == status, "\(target)")
                #expect(answer.fields[.contentType] == "application/problem+json")
                let document = try json(answer)
                #expect(document["type"] as? String == "urn:vitrine:problem:\(type)", "\(target)")
                #expect((document["detail"] as? String)?.hasSuffix(".") == true)
            }
        }
    }

    @Test
    func `a catalog page has the contract's form and is stale while the source is unreachable`()
        async throws
    {
        try await withHarness(harness()) { harness in
            harness.origin.on("/shows", host: Harness.apiHost, .json("[\(Harness.show(1))]"))
            let first = await ask(
                harness, "/v1/tvmaze/shows?page=0&title=SHOW&genre=drama",
                configuration: Self.open)
            var page = try json(first)
            #expect(page["stale"] as? Bool == false)
            #expect(page["next"] as? String == "/v1/tvmaze/shows?genre=drama&page=1&title=SHOW")
            #expect(page["total"] is NSNull)
            let items = try #require(page["items"] as? [[String: Any]])
            #expect(items.count == 1)
            #expect(items.first?["item"] as? String == "tvmaze/show/1")
            #expect(items.first?["favorite"] as? Bool == false)
            let detail = try #require(items.first?["detail"] as? [String: String])
            #expect(detail == ["item": "tvmaze/poster/1"])
            let none = try json(await ask(harness, "/v1/tvmaze/shows?page=0&title=other"))
            #expect((none["items"] as? [Any])?.isEmpty == true)
            await harness.origin.stop()
            harness.clock.advance(by: 1_000)
            page = try json(await ask(harness, "/v1/tvmaze/shows?page=0"))
            #expect(page["stale"] as? Bool == true)
            let failed = await ask(harness, "/v1/tvmaze/shows?page=7")
            let problem = try json(failed)
            #expect(problem["message"] as? String == "TVmaze can’t be reached.")
            #expect(problem["source"] as? String == "tvmaze")
            #expect(problem["retryAfter"] as? Int == 30 && failed.fields[.retryAfter] == "30")
            #expect(problem["detail"] as? String != problem["message"] as? String)
        }
    }

    @Test
    func `a missing picture has a sentence for people, and the time of a retry that can help`()
        async throws
    {
        try await withHarness(harness()) { harness in
            for (path, reply) in [
                ("/original/1.jpg", OriginReply.status(403)), ("/original/2.jpg", .status(404)),
            ] {
                harness.origin.on(path, reply)
            }
            harness.serveShow(1, medium: nil)
            harness.serveShow(2, medium: nil)
            func problem(_ id: Int) async throws -> [String: Any]? {
                _ = await ask(harness, "/t/m/tvmaze/show/\(id)")
                harness.clock.advance(by: 10)
                let item = try json(await ask(harness, "/v1/tvmaze/show/\(id)"))
                return item["problem"] as? [String: Any]
            }
            let failed = try await problem(1)
            #expect(failed?["message"] as? String == "TVmaze can’t be reached.")
            #expect(failed?["cause"] as? String == "The origin answered 403.")
            #expect(failed?["retryAfter"] as? Int == 20)
            let absent = try await problem(2)
            #expect(absent?["message"] as? String == "TVmaze has no picture of this.")
            #expect(absent?["retryAfter"] is NSNull)
        }
    }

    @Test func `sizes are exact once a thumbnail exists`() async throws {
        try await withHarness(harness()) { harness in
            _ = await ask(harness, "/t/m/tvmaze/show/1")
            let item = try json(await ask(harness, "/v1/tvmaze/show/1"))
            let links = try #require(item["thumbnails"] as? [String: [String: Any]])
            #expect(links["m"]?["width"] as? Int == 320)
            #expect(links["m"]?["height"] as? Int == 471)
            #expect(links["m"]?["url"] as? String == "/t/m/tvmaze/show/1")
            #expect(links["m"]?["box"] as? Bool == false)
            // Nothing is stored of this level, so that its size is the box.
            #expect(links["xl"]?["width"] as? Int == 1_280)
            #expect(links["xl"]?["height"] as? Int == 1_920)
            #expect(links["xl"]?["box"] as? Bool == true)
            #expect((item["srcset"] as? String)?.contains("/t/m/tvmaze/show/1 320w") == true)
        }
    }

    /// Favorites and history are every client's.
    private static let open: ServerConfiguration = {
        var configuration = ServerConfiguration()
        configuration.userData = .open
        return configuration
    }()

    @Test func `favorites are added, listed and deleted`() async throws {
        try await withHarness(harness()) { harness in
            func answer(
                _ path: String, _ method: HTTPRequest.Method = .get
            ) async -> Response {
                await ask(harness, path, method: method, configuration: Self.open)
            }
            let path = "/v1/favorites/tvmaze/show/1"
            #expect(await answer(path).status == .notFound)
            #expect(await answer(path, .put).status == .created)
            #expect(await answer(path, .put).status == .noContent)
            #expect(try json(await answer("/v1/tvmaze/show/1"))["favorite"] as? Bool == true)
            try await harness.restart()
            // The request for the item's details has fetched it.
            let list = try json(await answer("/v1/favorites"))
            #expect((list["items"] as? [[String: Any]])?.first?["title"] as? String == "Show 1")
            #expect(await answer(path, .delete).status == .noContent)
            #expect(await answer(path, .delete).status == .notFound)
        }
    }

    @Test func `the service is ready once a picture went through the render threads`() async throws
    {
        let harness = try await harness()
        #expect(await ask(harness, "/healthz").status == .ok)
        #expect(await ask(harness, "/readyz").status == .ok)
        try await harness.close()
        #expect(await ask(harness, "/healthz").status == .ok)
        #expect(await ask(harness, "/readyz").status == .serviceUnavailable)
    }
}
