import TestSupport
import Testing

@testable import HTTP

/// The heads of responses over HTTP/2.
@Suite(.timeLimit(.minutes(1))) struct HTTP2HeadTests {
    /// Answers with the status that the path is, and a field that no table has.
    private static func server() -> PlayedServer {
        PlayedServer { request, work in
            let status = Int(request.head.target.dropFirst()) ?? 500
            var head = ResponseHead(status: status, reason: "")
            head.add("Content-Length", "0")
            head.add("Vary", "Accept-\(status)")
            head.add("X-Odd", "\(status)")
            work.respond(head, HeldBody([]))
        }
    }

    private func ask(_ path: String, _ peer: HTTP2Client) async throws -> HTTP2Client.Stream? {
        await peer.answer(try await peer.ask(path))
    }

    /// The fields of a hit without the id of its request.
    private func hit(_ peer: HTTP2Client) async throws -> [String: String] {
        let answer = try #require(try await ask("/t/a", peer))
        #expect(answer.status == 200 && answer.body == Array("picture".utf8))
        var fields = answer.fields
        #expect(fields.removeValue(forKey: "x-request-id") != nil)
        return fields
    }

    private let fields = [
        "etag": "\"a\"", "content-length": "7", "cache-status": "hit",
        "cache-control": "max-age=7;", "age": "0", "date": "1000",
    ]

    @Test func `a response has its own fields, whichever came before on the connection`()
        async throws
    {
        try await EncryptedServer.with(Self.server()) { site, _ in
            let peer = try await site.http2()
            for status in [200, 503, 404, 204, 418, 304, 503, 418] {
                #expect(try await hit(peer) == fields)
                let answer = try await ask("/\(status)", peer)
                #expect(answer?.status == status)
                #expect(answer?.fields["vary"] == "Accept-\(status)")
                #expect(answer?.fields["x-odd"] == "\(status)")
                #expect(answer?.fields["etag"] == nil)
            }
        }
    }

    @Test(arguments: [0, 100, 4_096, 65_536])
    func `a client's table of another size is kept to, whenever it changes`(size: Int) async throws
    {
        try await EncryptedServer.with(Self.server()) { site, _ in
            let peer = try await site.http2()
            for _ in 0..<2 { #expect(try await hit(peer) == fields) }
            try await peer.setTableSize(size)
            for _ in 0..<2 { #expect(try await hit(peer) == fields) }
            try await peer.setTableSize(4_096)
            for status in [503, 418, 503] {
                #expect(try await hit(peer) == fields)
                #expect(try await ask("/\(status)", peer)?.fields["vary"] == "Accept-\(status)")
            }
        }
    }

    @Test(arguments: [100, 7_000, 9_000, 14_000])
    func `a long head arrives whole`(count: Int) async throws {
        let value = String(repeating: "v", count: count)
        let server = PlayedServer { _, work in
            var head = ResponseHead(status: 200, reason: "OK")
            head.add("Content-Length", "2")
            head.add("Link", value)
            work.respond(head, HeldBody(Array("ab".utf8)))
        }
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2()
            for _ in 0..<2 {
                let answer = try #require(try await ask("/x", peer))
                #expect(answer.fields == ["content-length": "2", "link": value])
                #expect(answer.body == Array("ab".utf8))
                #expect(try await hit(peer) == fields)
            }
        }
    }

    @Test func `a response has its fields after one that invites the body`() async throws {
        let server = PlayedServer { _, work in
            guard case .whole(let body) = await work.body(upTo: 100) else { return work.fail() }
            var head = ResponseHead(status: 200, reason: "OK")
            head.add("Content-Length", "\(body.count)")
            head.add("Vary", "Accept")
            work.respond(head, HeldBody(body))
        }
        try await EncryptedServer.with(server) { site, _ in
            let peer = try await site.http2()
            for _ in 0..<2 {
                let stream = try await peer.ask(
                    "/x", method: "POST", fields: [("expect", "100-continue")], ends: false)
                let invited = await peer.state { $0.streams[stream]?.status == 100 }
                #expect(invited.streams[stream]?.fields == [:])
                try await peer.send("body", on: stream, ends: true)
                let answer = try #require(await peer.answer(stream))
                #expect(answer.status == 200 && answer.body == Array("body".utf8))
                #expect(answer.fields == ["content-length": "4", "vary": "Accept"])
            }
        }
    }
}
