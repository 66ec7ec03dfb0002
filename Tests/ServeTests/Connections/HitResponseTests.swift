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

    /// Where a hit has its bytes from.
    enum Place: CaseIterable {
        case memory, disk, original

        var path: String { self == .original ? "/o/tvmaze/show/1" : HitSite.path }

        func harness() async throws -> Harness {
            let harness = try await HitSite.harness(memory: self == .disk ? 100 : nil)
            // That of the largest level.
            _ = try await harness.pipeline.pictures.original(of: harness.item(1))
            return harness
        }
    }

    @Test(arguments: Place.allCases)
    func `a stale hit starts one refresh, and then the new picture is served`(place: Place)
        async throws
    {
        try await RunningServer.with(place.harness()) { harness, running in
            let old = try await ask(running, place.path)
            let asked = harness.origin.log.count("/original/1.jpg")
            let newer = FixtureImages.jpeg(width: 680, height: 1000, seed: 2)
            harness.origin.on("/original/1.jpg", .jpeg(newer, maxAge: 100, tag: "b"))
            harness.clock.advance(by: 130)
            let stale = try await ask(running, place.path)
            #expect(stale.isFast && stale.answer.body == old.answer.body)
            #expect(stale.answer.fields["cache-status"] == "vitrine; fwd=stale")
            #expect(stale.answer.fields["age"] == "30")
            // Its successor shows without the second being over that others are kept for.
            var fresh = stale
            while fresh.answer.body == old.answer.body {
                fresh = try await ask(running, place.path)
                try Task.checkCancellation()
            }
            #expect(fresh.answer.fields["etag"] != old.answer.fields["etag"])
            let next = try await ask(running, place.path)
            #expect(next.isFast && next.answer.body == fresh.answer.body)
            #expect(next.answer.fields["cache-status"] == "vitrine; hit")
            #expect(harness.origin.log.count("/original/1.jpg") == asked + 1)
        }
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

    @Test func `an evicted picture is not served from memory`() async throws {
        try await RunningServer.with(HitSite.harness()) { harness, running in
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
