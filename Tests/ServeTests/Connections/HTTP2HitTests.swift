import Foundation
import HTTP
import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Memory hits over HTTP/2 are answered where they are read. Everything else is not held up by them.
@Suite(.timeLimit(.minutes(1))) struct HTTP2HitTests {
    private struct Case {
        var path = HitSite.path
        var fields: [(String, String)] = []
        var method = "GET"
        var isFast = true
    }

    private typealias Answer = HTTP2Client.Stream

    private func ask(_ client: HTTP2Client, _ one: Case, odd: Bool = false) async throws -> Answer {
        let stream = try await client.ask(
            one.path, method: one.method, fields: one.fields + (odd ? [("x-odd", "1")] : []))
        var answer = try #require(await client.answer(stream))
        answer.fields["x-request-id"] = nil
        // The last frame is smaller if the head before the body is.
        answer.bytesOfEnd = answer.bytesOfEnd.map { min($0, 1) }
        return answer
    }

    @Test func `hits and responders give the same responses over HTTP/2`() async throws {
        try await withHarness(HitSite.harness()) { harness in
            let webp = try await harness.picture(1, "m", .webp).picture
            let tag = "\"\(webp.digest)\""
            let date = HTTPDate.format(webp.renderedAt)
            let cases = [
                Case(), Case(path: HitSite.path + ".jpg"), Case(path: HitSite.path + ".webp"),
                Case(fields: [("accept", "image/jpeg")]),
                Case(fields: [("accept", "image/avif,image/webp;q=0.1,image/*;q=0.8")]),
                Case(fields: [("user-agent", "a"), ("sec-fetch-dest", "image"), ("cookie", "a=b")]),
                Case(fields: [("priority", "u=1, i")]),
                Case(method: "HEAD"), Case(fields: [("if-none-match", tag)]),
                Case(fields: [("if-none-match", "W/\(tag)")], method: "HEAD"),
                Case(fields: [("if-modified-since", date)]),
                Case(fields: [("if-none-match", "\"other\"")], isFast: false),
                Case(fields: [("accept", "image/jpeg"), ("accept", "image/webp")], isFast: false),
                Case(fields: [("range", "bytes=0-1")]),
                Case(fields: [("user-agent", "\u{e9}")], isFast: false),
                Case(path: HitSite.path + "?x=1"), Case(path: HitSite.path + "?expires=1"),
                Case(path: HitSite.path + "?x=%zz", isFast: false),
                Case(path: "/t/m/tvmaze/show/%31", isFast: false),
                Case(path: "/healthz", isFast: false), Case(method: "POST", isFast: false),
            ]
            try await TLSSite.with(harness.pipeline) { site in
                let client = try await site.http2()
                for one in cases {
                    let before = site.server.counts
                    let direct = try await ask(client, one)
                    let between = site.server.counts
                    let wayRound = try await ask(client, one, odd: true)
                    #expect(direct == wayRound, "\(one)")
                    #expect(direct.fields["connection"] == nil, "\(one)")
                    let fast = between.hits + between.notModified - before.hits - before.notModified
                    #expect((fast == 1) == one.isFast, "\(one)")
                    #expect(between.responded == before.responded + 1 - fast, "\(one)")
                    #expect(site.server.counts.responded == between.responded + 1, "\(one)")
                }
            }
        }
    }

    private static let large = "/o/tvmaze/show/1"
    private static let largeSize = 1 << 20

    /// Show 1 in memory, with a large original; show 2 has a picture that comes when `gate` opens.
    private func with(
        _ gate: Gate = Gate(), _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (TLSSite) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            for id in [1, 2] { harness.serveShow(id, medium: nil) }
            let padding = [UInt8](repeating: 0, count: Self.largeSize - HitSite.original.count)
            harness.origin.on("/original/1.jpg", .jpeg(HitSite.original + padding, maxAge: 100))
            harness.origin.on(
                "/original/2.jpg", .jpeg(HitSite.original, maxAge: 100).delayed(until: gate))
            _ = try await harness.picture(1, "m", .webp)
            try await TLSSite.with(harness.pipeline, adjust) { try await body($0) }
        }
    }

    @Test(arguments: [HitSite.path, large, "/healthz", "/openapi.json", "/t/m/none"])
    func `a stream ends with the last bytes of its body`(path: String) async throws {
        try await with { site in
            let client = try await site.http2(window: 1 << 30)
            let answer = try #require(await client.answer(try await client.ask(path)))
            #expect(answer.fields["content-length"] == "\(answer.bytes)")
            #expect(answer.bytes > 0)
            #expect(answer.isEnded && answer.reset == nil)
            // The frame that ends it has bytes of the body.
            #expect((answer.bytesOfEnd ?? 0) > 0)
        }
    }

    @Test(arguments: [("HEAD", HitSite.path), ("HEAD", large), ("OPTIONS", "/healthz")])
    func `a stream without a body ends with its head`(method: String, path: String) async throws {
        try await with { site in
            let client = try await site.http2()
            let stream = try await client.ask(path, method: method)
            let answer = try #require(await client.answer(stream))
            #expect(answer.isEnded && answer.bytes == 0 && answer.bytesOfEnd == nil)
        }
    }

    @Test func `hits pass a miss of their connection`() async throws {
        let gate = Gate()
        try await with(gate) { site in
            let client = try await site.http2()
            let miss = try await client.ask("/t/m/tvmaze/show/2")
            for _ in 0..<50 {
                let hit = try await client.ask(HitSite.path)
                #expect(await client.answer(hit)?.status == 200)
            }
            #expect(await client.state { _ in true }.streams[miss] == nil)
            #expect(site.server.counts.hits == 50)
            gate.open()
            #expect(await client.answer(miss)?.status == 200)
        }
    }

    @Test(arguments: [HitSite.path, large])
    func `a response waits for the window of its client`(path: String) async throws {
        try await with { site in
            let client = try await site.http2(window: 0)
            let stream = try await client.ask(path)
            let state = await client.state { $0.streams[stream]?.status == 200 }
            #expect(state.streams[stream]?.bytes == 0)
            try await client.giveWindow(1, of: stream)
            await client.state { $0.streams[stream]?.bytes == 1 }
            try await client.giveWindow(1 << 30, of: stream)
            let answer = try #require(await client.answer(stream))
            #expect(answer.fields["content-length"] == "\(answer.bytes)")
            #expect(answer.isEnded && answer.reset == nil)
        }
    }

    @Test func `a hit without window is reset after the send timeout`() async throws {
        let clock = ServerClock()
        try await with(
            Gate(),
            {
                $0.uptime = clock.read
                $0.sendTimeout = .seconds(1)
            }
        ) { site in
            let client = try await site.http2(window: 0)
            let stream = try await client.ask(HitSite.path)
            let answer = await clock.running(by: .milliseconds(200)) {
                await client.answer(stream)
            }
            #expect(answer?.reset == 8)
            #expect(answer?.bytes == 0)
            #expect(site.server.counts.timedOut == 1)
        }
    }

    @Test func `responses fit the table of fields that the client allows`() async throws {
        try await with { site in
            let client = try await site.http2()
            var answers: [Answer] = []
            for size in [4_096, 0, 64, 65_536, 4_096] {
                let seen = await client.state { _ in true }.acknowledgments
                try await client.setTableSize(size)
                await client.state { $0.acknowledgments > seen }
                for _ in 0..<3 { answers.append(try await ask(client, Case())) }
                answers.append(try await ask(client, Case(), odd: true))
            }
            #expect(answers.count == 20)
            for answer in answers {
                #expect(answer.status == 200)
                // Each is decoded as it was encoded.
                #expect(answer.fields["etag"] == answers[0].fields["etag"])
                #expect(answer.fields["content-length"] == answers[0].fields["content-length"])
            }
        }
    }
}
