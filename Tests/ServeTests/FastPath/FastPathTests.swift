import Catalog
import Foundation
import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Hits answered before the HTTP codec, over real connections.
@Suite(.timeLimit(.minutes(1))) struct FastPathTests {
    private static let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)
    private static let path = "/t/m/tvmaze/show/1"

    /// Show 1 with one picture, fresh for 100 s, in memory as WebP and JPEG.
    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1, medium: nil)
        harness.origin.on("/original/1.jpg", .jpeg(Self.original, maxAge: 100, tag: "a"))
        for format in [ThumbnailFormat.webp, .jpeg] {
            _ = try await harness.picture(1, "m", format)
        }
        return harness
    }

    /// Sends requests together and gives their answers.
    private func ask(
        _ running: RunningServer, _ requests: [String], heads: Set<Int> = []
    ) async throws -> [RawAnswer] {
        let connection = try await running.connect()
        try await connection.send(requests.joined())
        // The general server adds a request id, which differs each time.
        return await connection.answers(requests.count, heads: heads).map(withoutRequestID)
    }

    private func withoutRequestID(_ answer: RawAnswer) -> RawAnswer {
        var answer = answer
        answer.fields["x-request-id"] = nil
        return answer
    }

    private struct Case {
        var path = FastPathTests.path
        var fields = ""
        var method = "GET"
        var isFast = true
    }

    @Test func `the hit threads and the general server give the same responses`() async throws {
        try await withHarness(harness()) { harness in
            let webp = try await harness.picture(1, "m", .webp).picture
            let tag = "\"\(webp.digest)\""
            let date = HTTPDate.format(webp.renderedAt)
            let cases = [
                Case(), Case(path: Self.path + ".jpg"), Case(path: Self.path + ".webp"),
                Case(path: "/t/m/tvmaze/show/%31", isFast: false),
                Case(path: Self.path + ".JPEG", isFast: false),
                Case(fields: "Accept: image/jpeg\r\n"),
                Case(fields: "accept:image/avif,image/webp;q=0.1,image/*;q=0.8\r\n"),
                Case(fields: "Accept: application/json\r\n"), Case(fields: "Accept:\r\n"),
                Case(method: "HEAD"), Case(fields: "If-None-Match: \(tag)\r\n"),
                Case(fields: "If-None-Match: W/\(tag)\r\n"),
                Case(fields: "If-None-Match: \(tag)\r\n", method: "HEAD"),
                Case(fields: "If-Modified-Since: \(date)\r\n"),
                Case(fields: "If-None-Match: \(tag)\r\nIf-Modified-Since: x\r\n"),
                Case(fields: "If-None-Match: \"other\"\r\n", isFast: false),
                Case(fields: "If-None-Match: \"other\", \(tag)\r\n", isFast: false),
                Case(fields: "If-None-Match: *\r\n", isFast: false),
                Case(fields: "If-Modified-Since: Tue, 14 Nov 2023 22:13:19 GMT\r\n", isFast: false),
                Case(
                    fields: "If-None-Match: \"other\"\r\nIf-Modified-Since: \(date)\r\n",
                    isFast: false),
                Case(fields: "Connection: close\r\n"),
                Case(fields: "Range: bytes=0-1\r\n", isFast: false),
                Case(path: Self.path + "?x=1", isFast: false),
                Case(path: "/t/q/tvmaze/show/1", isFast: false),
                Case(path: Self.path + ".gif", isFast: false),
                Case(path: "/t/m/tvmaze/show/01", isFast: false),
                Case(path: "/t/m/tvmaze/show/..", isFast: false),
                Case(path: "/healthz", isFast: false),
                Case(path: "/t/m/url/a/b", isFast: false),
            ]
            try await RunningServer.with(harness.pipeline) { running in
                for one in cases {
                    let before = running.server.fastPath
                    let heads: Set = one.method == "HEAD" ? [0] : []
                    let direct = try await ask(
                        running, [request(one.path, one.fields, method: one.method)], heads: heads)
                    let between = running.server.fastPath
                    let wayRound = try await ask(
                        running,
                        [request(one.path, "X-Odd: 1\r\n" + one.fields, method: one.method)],
                        heads: heads)
                    #expect(direct == wayRound, "\(one)")
                    #expect(direct.count == 1, "\(one)")
                    let fast = between.hits + between.notModified - before.hits - before.notModified
                    #expect((fast == 1) == one.isFast, "\(one)")
                    #expect(running.server.fastPath.handedOn == between.handedOn + 1, "\(one)")
                }
            }
        }
    }

    @Test func `a signed URL is a hit while its signature is valid`() async throws {
        let signature = URLSignature(keys: "a-key")
        try await withHarness(Harness(configure: { $0.urlSignature = signature })) { harness in
            let url = "https://static.tvmaze.com/original/1.jpg"
            harness.origin.on("/original/1.jpg", .jpeg(Self.original, maxAge: 100, tag: "a"))
            let item = try SignedURL.item(of: url)
            let end = harness.clock.now.addingTimeInterval(60)
            let path = { (level: String, expires: Date?) in
                let code = try signature.sign(level: level, encodedURL: item.id, expires: expires)
                let query = expires.map { "?expires=\(Int($0.timeIntervalSince1970))" } ?? ""
                return "/t/\(level)/url/\(code)/\(item.id)\(query)"
            }
            let (lasting, ending) = (try path("m", nil), try path("m", end))
            try await RunningServer.with(harness.pipeline) { running in
                _ = try await ask(running, [request(lasting)])
                let before = running.server.fastPath.hits
                let hits = try await ask(running, [request(lasting), request(ending)])
                #expect(hits.map(\.status) == [200, 200])
                #expect(running.server.fastPath.hits == before + 2)
                let odd = try await ask(running, [request(ending, "X-Odd: 1\r\n")])
                for answer in [hits[1], try #require(odd.first)] {
                    // No cache shows it once the link has ended.
                    #expect(
                        answer.fields["cache-control"]
                            == "public, max-age=60, stale-while-revalidate=0, stale-if-error=0")
                }
                for wrong in [
                    lasting + "?expires=99999999999", lasting + "?expires=99999999999999999999",
                    ending + "0", lasting.replacing("/t/m/", with: "/t/l/"),
                    Self.path + "?expires=1",
                ] {
                    let answer = try await ask(running, [request(wrong)])
                    #expect(
                        answer.map(\.status) == [wrong.hasPrefix(Self.path) ? 404 : 403], "\(wrong)"
                    )
                }
                harness.clock.advance(by: 61)
                let late = try await ask(running, [request(ending), request(lasting)])
                #expect(late.map(\.status) == [403, 200])
            }
        }
    }

    @Test func `a hit has its remaining freshness and its date`() async throws {
        try await withHarness(harness()) { harness in
            try await RunningServer.with(harness.pipeline) { running in
                let first = try await ask(running, [request()])
                harness.clock.advance(by: 40)
                let second = try await ask(running, [request()])
                #expect(
                    first.first?.fields["cache-control"]?.hasPrefix("public, max-age=100,") == true)
                #expect(
                    second.first?.fields["cache-control"]?.hasPrefix("public, max-age=60,") == true)
                #expect(first.first?.fields["date"] == "Tue, 14 Nov 2023 22:13:20 GMT")
                #expect(second.first?.fields["date"] == "Tue, 14 Nov 2023 22:14:00 GMT")
                #expect(running.server.fastPath.hits == 2)
            }
        }
    }

    @Test func `a stale hit starts one refresh, and then the new picture is served`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let newer = FixtureImages.jpeg(width: 680, height: 1000, seed: 2)
            try await RunningServer.with(harness.pipeline) { running in
                let old = try await ask(running, [request()])
                harness.origin.on("/original/1.jpg", .jpeg(newer, maxAge: 100, tag: "b"))
                harness.clock.advance(by: 200)
                let asked = harness.origin.log.count("/original/1.jpg")
                let stale = try await ask(running, [request()])
                #expect(stale.first?.fields["cache-status"] == "vitrine; fwd=stale")
                #expect(stale.first?.body == old.first?.body)
                var fresh = stale
                while fresh.first?.body == old.first?.body {
                    fresh = try await ask(running, [request()])
                }
                #expect(fresh.first?.fields["etag"] != old.first?.fields["etag"])
                let hits = running.server.fastPath.hits
                #expect(try await ask(running, [request()]) == fresh.map { hit($0) })
                #expect(running.server.fastPath.hits == hits + 1)
                #expect(harness.origin.log.count("/original/1.jpg") == asked + 1)
            }
        }
    }

    private func hit(_ answer: RawAnswer) -> RawAnswer {
        var answer = answer
        answer.fields["cache-status"] = "vitrine; hit"
        return answer
    }

    @Test func `a stale picture whose refresh failed is still served as stale`() async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on("/original/1.jpg", .status(503))
            try await RunningServer.with(harness.pipeline) { running in
                harness.clock.advance(by: 200)
                let stale = try await ask(running, [request()])
                let wayRound = try await ask(running, [request(Self.path, "X-Odd: 1\r\n")])
                #expect(stale == wayRound)
                #expect(stale.first?.fields["cache-status"] == "vitrine; fwd=stale")
                #expect(
                    stale.first?.fields["cache-control"]?.hasPrefix("public, max-age=0,") == true)
                #expect(stale.first?.fields["age"] == "100")
                let tag = try #require(stale.first?.fields["etag"])
                _ = try await ask(running, [request(Self.path, "If-None-Match: \(tag)\r\n")])
                let metrics = try await ask(running, [request("/metrics")])
                let lines = String(decoding: metrics.first?.body ?? [], as: UTF8.self)
                    .split(separator: "\n")
                for (cache, status, count) in [
                    ("hit", 200, 0), ("hit", 304, 0), ("stale", 304, 1),
                ] {
                    let line =
                        #"vitrine_http_requests_total{cache="\#(cache)",route="/t/","#
                        + #"status="\#(status)"} \#(count)"#
                    #expect(lines.contains { $0 == line }, "\(line)")
                }
            }
        }
    }

    @Test func `the duration of hits is recorded on every path`() async throws {
        try await withHarness(harness()) { harness in
            try await RunningServer.with(harness.pipeline, { $0.metrics = MetricRegistry() }) {
                running in
                let answers = try await ask(
                    running,
                    [request(), request(Self.path + ".jpg"), request("/healthz"), request()])
                #expect(answers.map(\.status) == [200, 200, 200, 200])
                let metrics = try await ask(running, [request("/metrics")])
                let text = String(decoding: try #require(metrics.first).body, as: UTF8.self)
                let count = #"vitrine_http_request_seconds_count{cache="hit",route="/t/"} 3"#
                #expect(text.contains(count + "\n"))
            }
        }
    }

    @Test func `an evicted picture is not served from memory`() async throws {
        try await withHarness(harness()) { harness in
            try await RunningServer.with(harness.pipeline) { running in
                _ = try await ask(running, [request()])
                // The origin has no picture any more: the walk takes the hit out of memory.
                harness.origin.on("/original/1.jpg", .status(404))
                harness.clock.advance(by: 200)
                let level = try harness.pipeline.level("m")
                _ = try await harness.pipeline.pictures.ensure(
                    harness.item(1), [Rendition(level: level, format: .webp)])
                let hits = running.server.fastPath.hits
                let answers = try await ask(running, [request()])
                #expect(running.server.fastPath.hits == hits)
                #expect(
                    answers.first?.status == 404
                        || answers.first?.fields["cache-status"] != "vitrine; hit")
            }
        }
    }

    @Test func `responses keep the order of pipelined requests`() async throws {
        try await withHarness(harness()) { harness in
            let etag = "\"\(try await harness.picture(1, "m", .webp).picture.digest)\""
            let body = String(repeating: "x", count: 70_000)
            let requests = [
                request(), request("/healthz"), request(Self.path, "If-None-Match: \(etag)\r\n"),
                request("/nope"),
                request(Self.path + ".jpg", "", method: "HEAD"),
                request(Self.path, "Content-Length: \(body.utf8.count)\r\n", method: "POST") + body,
                request(Self.path + ".jpg"), request("/o/tvmaze/show/1"), request(),
            ]
            let expected = [200, 200, 304, 404, 200, 405, 200, 200, 200]
            try await RunningServer.with(harness.pipeline) { running in
                for _ in 0..<5 {
                    let answers = try await ask(running, requests, heads: [4])
                    #expect(answers.map(\.status) == expected)
                    #expect(answers[7].body == Self.original)
                    #expect(answers[8].body == answers[0].body)
                }
                // Everything after the first request that is not a hit goes to the general server.
                #expect(running.server.fastPath.handedOn == 40)
                #expect(running.server.fastPath.hits == 5)
            }
        }
    }

    @Test func `requests may arrive in any pieces`() async throws {
        try await withHarness(harness()) { harness in
            let requests =
                request() + request("/healthz", "Content-Length: 3\r\n") + "abc" + request()
            try await RunningServer.with(harness.pipeline, { $0.headerTimeout = .seconds(600) }) {
                running in
                let connection = try await running.connect()
                for byte in requests.utf8 { try await connection.send([byte]) }
                #expect(await connection.answers(3).map(\.status) == [200, 200, 200])
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `the end of a connection is seen with its last request`() async throws {
        try await withHarness(harness()) { harness in
            let gate = LogGate()
            try await RunningServer.with(
                harness.pipeline, { $0.accessLog = .all }, logger: gate.logger
            ) { running in
                let last = try await running.connect()
                try await last.send(request())
                #expect(await last.answers(1).count == 1)
                // While the thread is held up, the request and the end come together.
                gate.close()
                let other = try await running.connect()
                try await other.send(request())
                await gate.isReached()
                try await last.send(request())
                try await last.finish()
                gate.open()
                #expect(RawAnswer.parse(await last.receivedUntilClosed()).count == 2)
                #expect(running.server.fastPath.handedOn == 0)
            }
        }
    }

    @Test func `a chunked request is answered in its order`() async throws {
        try await withHarness(harness()) { harness in
            let chunked =
                request("/healthz", "Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\n0\r\n\r\n"
            try await RunningServer.with(harness.pipeline) { running in
                let answers = try await ask(
                    running, [request(), chunked, request(), request("/healthz")])
                #expect(answers.map(\.status) == [200, 200, 200, 200])
                #expect(running.server.fastPath.hits == 1)
                let connection = try await running.connect()
                try await connection.send("GET / nonsense\r\n\r\n")
                let refused = RawAnswer.parse(await connection.receivedUntilClosed())
                #expect(refused.map(\.status) == [400])
                #expect(refused.first?.fields["content-type"] == "application/problem+json")
            }
        }
    }

    @Test(arguments: ["", "X-Odd: 1\r\n"])
    func `the connection closes when its client says so`(field: String) async throws {
        try await withHarness(harness()) { harness in
            try await RunningServer.with(harness.pipeline) { running in
                let connection = try await running.connect()
                try await connection.send(
                    request(Self.path, field + "Connection: close\r\n") + request())
                let answers = RawAnswer.parse(await connection.receivedUntilClosed())
                #expect(answers.map(\.status) == [200])
                #expect(answers.first?.fields["connection"] == "close")
                let old = try await running.connect()
                try await old.send("GET \(Self.path) HTTP/1.0\r\n\r\n")
                #expect(RawAnswer.parse(await old.receivedUntilClosed()).map(\.status) == [200])
            }
        }
    }

    @Test(arguments: [request(path), request("/t/l/tvmaze/show/1.jpg")])
    func `a client that reads late gets every byte`(asked: String) async throws {
        try await withHarness(harness()) { harness in
            _ = try await harness.picture(1, "l", .jpeg)
            try await RunningServer.with(harness.pipeline) { running in
                let expected = try await ask(running, [asked])
                let connection = try await running.connect(reads: false)
                let row = String(repeating: asked, count: 60) + request("/healthz") + asked
                async let sent: Void = connection.send(
                    row + request("/healthz", "Connection: close\r\n"))
                _ = try await connection.readSome()
                try await connection.startReading()
                try await sent
                let answers = RawAnswer.parse(await connection.receivedUntilClosed())
                    .map(withoutRequestID)
                #expect(answers.count == 63)
                #expect(answers.prefix(60).allSatisfy { $0 == expected.first })
                #expect(answers.dropLast().last == expected.first)
            }
        }
    }

    @Test func `many concurrent clients get their responses`() async throws {
        try await withHarness(harness()) { harness in
            let webp = try await harness.picture(1, "m", .webp).picture.bytes
            let jpeg = try await harness.picture(1, "m", .jpeg).picture.bytes
            try await RunningServer.with(harness.pipeline, { $0.threads = 3 }) { running in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for client in 0..<12 {
                        group.addTask {
                            let connection = try await running.connect()
                            let odd = client % 3 == 0 ? "X-Odd: 1\r\n" : ""
                            for round in 1...4 {
                                try await connection.send(
                                    request() + request(Self.path + ".jpg", odd))
                                let answers = await connection.answers(2 * round)
                                #expect(answers.count == 2 * round)
                                #expect(answers.suffix(2).map(\.body) == [webp, jpeg])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(running.server.fastPath.accepted == 12)
                // Four clients stay with the general server after their first request that is not a
                // hit: 7 requests each.
                #expect(running.server.fastPath.handedOn == 28)
                #expect(running.server.fastPath.hits == 68)
            }
        }
    }
}
