import Glibc
import TestSupport
import Testing

@testable import HitServer

/// HTTP/1.1 over TLS, by the loop.
@Suite(.timeLimit(.minutes(1))) struct EncryptedRequestTests {
    private static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    private static func answers(_ peer: TLSPeer, _ count: Int) throws -> [RawAnswer] {
        var bytes: [UInt8] = []
        while RawAnswer.parse(bytes).count < count {
            let more = try peer.receiveRecord()
            if more.isEmpty { break }
            bytes += more
        }
        return RawAnswer.parse(bytes)
    }

    @Test func `hits, files and responders answer over TLS, in order`() async throws {
        let server = PlayedServer()
        let file = try PlayedFile(count: 3 << 20)
        server.source.serve(file, at: "/b/1")
        try await EncryptedServer.with(server) { site in
            let peer = try site.connect()
            try peer.send(
                Self.get("/t/a") + Self.get("/b/1") + Self.get("/x") + Self.get("/t/a"))
            let answers = try Self.answers(peer, 4)
            #expect(answers.map(\.status) == [200, 200, 404, 200])
            #expect(answers.first?.body == Array("picture".utf8))
            #expect(answers.dropFirst().first?.body == file.bytes)
        }
        #expect(server.counters.responded.now == 1)
    }

    @Test func `a connection that closes says so first`() async throws {
        let server = PlayedServer()
        try await EncryptedServer.with(server) { site in
            for path in ["/t/a", "/x"] {
                let peer = try site.connect()
                try peer.send(Self.get(path, "Connection: close\r\n"))
                #expect(try Self.answers(peer, 1).count == 1)
                #expect(try peer.receiveRecord().isEmpty)
                #expect(peer.isFinished)
            }
        }
        await server.allClosed()
    }

    @Test func `a body reaches its responder over TLS`() async throws {
        let server = PlayedServer { _, work in
            guard case .whole(let body) = await work.body(upTo: 1 << 20) else { return work.fail() }
            PlayedResponder.send(200, "\(body.count)", work)
        }
        try await EncryptedServer.with(server) { site in
            let peer = try site.connect()
            let body = String(repeating: "a", count: 300_000)
            try peer.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n" + body)
            #expect(try Self.answers(peer, 1).first?.body == Array("300000".utf8))
        }
    }

    @Test func `hits are answered beside a crowd of handshakes`() async throws {
        let server = PlayedServer()
        try await EncryptedServer.with(server) { site in
            // More than one round begins.
            let crowd = try (0..<30).map { _ in try PeerSocket(port: site.port) }
            for one in crowd { try one.send([0x16, 3, 1, 2, 0]) }
            let peers = try (0..<8).map { _ in try site.connect() }
            for peer in peers {
                try peer.send(Self.get("/t/a"))
                #expect(try Self.answers(peer, 1).map(\.status) == [200])
            }
        }
        await server.allClosed()
    }
}
