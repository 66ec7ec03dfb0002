import Catalog
import Foundation
import HTTP
import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Hits answered before the HTTP codec, over real connections.
@Suite(.timeLimit(.minutes(1))) struct HitResponseTests {
    private struct Case {
        var path = HitSite.path
        var fields = ""
        var method = "GET"
        var isFast = true
    }

    @Test func `hits and responders give the same responses`() async throws {
        try await withHarness(HitSite.harness()) { harness in
            let webp = try await harness.picture(1, "m", .webp).picture
            let tag = "\"\(webp.digest)\""
            let date = HTTPDate.format(webp.renderedAt)
            let cases = [
                Case(), Case(path: HitSite.path + ".jpg"), Case(path: HitSite.path + ".webp"),
                Case(path: "/t/m/tvmaze/show/%31", isFast: false),
                Case(path: HitSite.path + ".JPEG", isFast: false),
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
                // A thumbnail has no ranges.
                Case(fields: "Range: bytes=0-1\r\nIf-Range: x\r\n"),
                // Queries that mean nothing, and one that can't be read.
                Case(path: HitSite.path + "?x=1"), Case(path: HitSite.path + "?"),
                Case(path: HitSite.path + ".jpg?utm=%20a&b", method: "HEAD"),
                Case(path: HitSite.path + "?expires=1"),
                Case(path: HitSite.path + "?x=%zz", isFast: false),
                Case(path: HitSite.path + "?x=%00", isFast: false),
                Case(path: "/t/q/tvmaze/show/1", isFast: false),
                Case(path: HitSite.path + ".gif", isFast: false),
                Case(path: "/t/m/tvmaze/show/01", isFast: false),
                Case(path: "/t/m/tvmaze/show/..", isFast: false),
                Case(path: "/healthz", isFast: false),
                Case(path: "/t/m/url/a/b", isFast: false),
            ]
            try await RunningServer.with(harness.pipeline) { running in
                for one in cases {
                    let before = running.server.counts
                    let heads: Set = one.method == "HEAD" ? [0] : []
                    let direct = try await running.ask(
                        [request(one.path, one.fields, method: one.method)], heads: heads)
                    let between = running.server.counts
                    let wayRound = try await running.ask(
                        [request(one.path, "X-Odd: 1\r\n" + one.fields, method: one.method)],
                        heads: heads)
                    #expect(direct == wayRound, "\(one)")
                    #expect(direct.count == 1, "\(one)")
                    let fast = between.hits + between.notModified - before.hits - before.notModified
                    #expect((fast == 1) == one.isFast, "\(one)")
                    #expect(running.server.counts.responded == between.responded + 1, "\(one)")
                }
            }
        }
    }

    @Test func `a signed URL is a hit while its signature is valid`() async throws {
        let signature = URLSignature(keys: "a-key")
        try await withHarness(Harness(configure: { $0.urlSignature = signature })) { harness in
            let url = "https://static.tvmaze.com/original/1.jpg"
            harness.origin.on("/original/1.jpg", .jpeg(HitSite.original, maxAge: 100, tag: "a"))
            let item = try SignedURL.item(of: url)
            let end = harness.clock.now.addingTimeInterval(60)
            let path = { (level: String, expires: Date?) in
                let code = try signature.sign(level: level, encodedURL: item.id, expires: expires)
                let query = expires.map { "?expires=\(Int($0.timeIntervalSince1970))" } ?? ""
                return "/t/\(level)/url/\(code)/\(item.id)\(query)"
            }
            let (lasting, ending) = (try path("m", nil), try path("m", end))
            try await RunningServer.with(harness.pipeline) { running in
                _ = try await running.ask([request(lasting)])
                let before = running.server.counts.hits
                let hits = try await running.ask([request(lasting), request(ending)])
                try #require(hits.map(\.status) == [200, 200])
                #expect(running.server.counts.hits == before + 2)
                // Other parameters mean nothing, unless the end of the validity may be among them.
                for more in [ending + "&x=1&expires=1", lasting + "?x=1&expire=2", lasting + "?"] {
                    let answer = try await running.ask([request(more)])
                    #expect(answer.map(\.status) == [200], "\(more)")
                }
                #expect(running.server.counts.hits == before + 5)
                let broken = try await running.ask([request(ending + "&x=%1")])
                #expect(broken.map(\.status) == [400])
                let odd = try await running.ask([request(ending, "X-Odd: 1\r\n")])
                for answer in [hits[1], try #require(odd.first)] {
                    // No cache shows it once the link has ended.
                    #expect(
                        answer.fields["cache-control"]
                            == "public, max-age=60, stale-while-revalidate=0, stale-if-error=0")
                }
                for wrong in [
                    lasting + "?expires=99999999999", lasting + "?expires=99999999999999999999",
                    ending + "0", lasting + "?x=1&expires=99999999999", lasting + "?%65xpires=9",
                    lasting + "?expires", lasting.replacing("/t/m/", with: "/t/l/"),
                    HitSite.path + "?expires=1",
                ] {
                    let answer = try await running.ask([request(wrong)])
                    #expect(
                        answer.map(\.status) == [wrong.hasPrefix(HitSite.path) ? 404 : 403],
                        "\(wrong)"
                    )
                }
                harness.clock.advance(by: 61)
                let late = try await running.ask([request(ending), request(lasting)])
                #expect(late.map(\.status) == [403, 200])
            }
        }
    }

    @Test func `a hit has its remaining freshness and its date`() async throws {
        try await withHarness(HitSite.harness()) { harness in
            try await RunningServer.with(harness.pipeline) { running in
                let first = try await running.ask([request()])
                harness.clock.advance(by: 40)
                let second = try await running.ask([request()])
                #expect(
                    first.first?.fields["cache-control"]?.hasPrefix("public, max-age=100,") == true)
                #expect(
                    second.first?.fields["cache-control"]?.hasPrefix("public, max-age=60,") == true)
                #expect(first.first?.fields["date"] == "Tue, 14 Nov 2023 22:13:20 GMT")
                #expect(second.first?.fields["date"] == "Tue, 14 Nov 2023 22:14:00 GMT")
                #expect(running.server.counts.hits == 2)
            }
        }
    }

    @Test func `a stale hit starts one refresh, and then the new picture is served`()
        async throws
    {
        try await withHarness(HitSite.harness()) { harness in
            let newer = FixtureImages.jpeg(width: 680, height: 1000, seed: 2)
            try await RunningServer.with(harness.pipeline) { running in
                let old = try await running.ask([request()])
                harness.origin.on("/original/1.jpg", .jpeg(newer, maxAge: 100, tag: "b"))
                harness.clock.advance(by: 200)
                let asked = harness.origin.log.count("/original/1.jpg")
                let stale = try await running.ask([request()])
                #expect(stale.first?.fields["cache-status"] == "vitrine; fwd=stale")
                #expect(stale.first?.body == old.first?.body)
                var fresh = stale
                while fresh.first?.body == old.first?.body {
                    fresh = try await running.ask([request()])
                }
                #expect(fresh.first?.fields["etag"] != old.first?.fields["etag"])
                let hits = running.server.counts.hits
                #expect(try await running.ask([request()]) == fresh.map { hit($0) })
                #expect(running.server.counts.hits == hits + 1)
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
        try await withHarness(HitSite.harness()) { harness in
            harness.origin.on("/original/1.jpg", .status(503))
            try await RunningServer.with(harness.pipeline) { running in
                harness.clock.advance(by: 200)
                let stale = try await running.ask([request()])
                let wayRound = try await running.ask([request(HitSite.path, "X-Odd: 1\r\n")])
                #expect(stale == wayRound)
                #expect(stale.first?.fields["cache-status"] == "vitrine; fwd=stale")
                #expect(
                    stale.first?.fields["cache-control"]?.hasPrefix("public, max-age=0,") == true)
                #expect(stale.first?.fields["age"] == "100")
                let tag = try #require(stale.first?.fields["etag"])
                _ = try await running.ask([request(HitSite.path, "If-None-Match: \(tag)\r\n")])
                let metrics = try await running.ask([request("/metrics")])
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
        try await withHarness(HitSite.harness()) { harness in
            try await RunningServer.with(harness.pipeline) { running in
                let answers = try await running.ask([
                    request(), request(HitSite.path + ".jpg"), request("/healthz"), request(),
                ])
                #expect(answers.map(\.status) == [200, 200, 200, 200])
                let metrics = try await running.ask([request("/metrics")])
                let text = String(decoding: try #require(metrics.first).body, as: UTF8.self)
                let count = #"vitrine_http_request_seconds_count{cache="hit",route="/t/"} 3"#
                #expect(text.contains(count + "\n"))
            }
        }
    }

    @Test func `an evicted picture is not served from memory`() async throws {
        try await withHarness(HitSite.harness()) { harness in
            try await RunningServer.with(harness.pipeline) { running in
                _ = try await running.ask([request()])
                // The origin has no picture any more, so the miss removes the hit from memory.
                harness.origin.on("/original/1.jpg", .status(404))
                harness.clock.advance(by: 200)
                let level = try harness.pipeline.level("m")
                _ = try await harness.pipeline.pictures.ensure(
                    harness.item(1), [Rendition(level: level, format: .webp)])
                let hits = running.server.counts.hits
                let answers = try await running.ask([request()])
                #expect(running.server.counts.hits == hits)
                #expect(
                    answers.first?.status == 404
                        || answers.first?.fields["cache-status"] != "vitrine; hit")
            }
        }
    }
}
