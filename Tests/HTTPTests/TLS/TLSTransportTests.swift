import CCrypto
import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct TLSTransportTests {
    // MARK: What is agreed

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `the server speaks TLS 1.2 and 1.3`(version: CInt) async throws {
        try await EncryptedServer.blocking { site in
            let peer = try site.connect { $0.version = version }
            #expect(try peer.ask("/t/a") == 200)
            #expect(peer.version == version)
        }
    }

    @Test(arguments: [
        (["http/1.1", "h2"], "h2"), (["h2"], "h2"), (["http/1.1"], "http/1.1"),
        (["spdy/3", "http/1.1"], "http/1.1"), ([], nil),
    ])
    func `the server prefers HTTP/2, and speaks HTTP/1.1 without ALPN`(
        offered: [String], chosen: String?
    ) async throws {
        try await EncryptedServer.blocking { site in
            let peer = try site.connect { $0.applications = offered }
            #expect(peer.application == chosen)
        }
    }

    // MARK: Sessions

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a session continues after a reload, until its ticket's key is forgotten`(
        version: CInt
    ) async throws {
        try await EncryptedServer.blocking { site in
            func visit(_ session: TLSPeer.Session?) throws -> TLSPeer {
                let peer = try site.connect({ $0.version = version }, continuing: session)
                #expect(try peer.ask("/t/a") == 200)
                return peer
            }
            let first = try visit(nil)
            #expect(!first.isResumed)
            try site.reload("other")
            #expect(try visit(first.session).isResumed)
            // The key is not the newest any more.
            site.clock.advance(by: Double(TicketKeys.lifetime))
            #expect(try visit(nil).certificate == "other")
            let late = try visit(first.session)
            #expect(late.isResumed)
            // Its new ticket is of the newer key.
            site.clock.advance(by: Double(TicketKeys.lifetime))
            #expect(try !visit(first.session).isResumed)
            #expect(try visit(late.session).isResumed)
            // Nobody came for so long that both keys are too old.
            site.clock.advance(by: 2 * Double(TicketKeys.lifetime))
            #expect(try !visit(late.session).isResumed)
        }
    }

    // MARK: Bytes

    @Test(arguments: ["/t/a", "/x"])
    func `a head and its body are one record`(path: String) async throws {
        try await EncryptedServer.blocking { site in
            let peer = try site.connect()
            try peer.send(get(path))
            let answer = RawAnswer.parse(try peer.receiveRecord()).first
            #expect(answer?.body == Array((path == "/x" ? path : "picture").utf8))
        }
    }

    /// More than the buffers of both sockets, from a file or from memory.
    private func large() throws -> (PlayedServer, PlayedFile) {
        let file = try PlayedFile(count: 1 << 20)
        let server = PlayedServer { _, work in
            var head = ResponseHead(status: 200, reason: "OK")
            head.add("Content-Length", "\(file.bytes.count)")
            work.respond(head, HeldBody(file.bytes))
        }
        server.source.serve(file, at: "/b/1")
        return (server, file)
    }

    @Test(arguments: ["/b/1", "/x"])
    func `a large body arrives whole, however slowly it is read`(path: String) async throws {
        let (server, file) = try large()
        try await EncryptedServer.blocking(server) { site in
            let peer = try site.connect()
            try peer.send(get(path) + get("/t/a"))
            #expect(try peer.answers(2).map(\.body) == [file.bytes, Array("picture".utf8)])
        }
    }

    @Test func `requests that come together are all read`() async throws {
        try await EncryptedServer.blocking { site in
            let peer = try site.connect(room: 4_096)
            try peer.send(get("/t/a"))
            let one = try peer.receiveRecord()
            // More than the sockets hold, so that a record of several responses waits for room.
            try peer.send(String(repeating: get("/t/a"), count: 5_000))
            #expect(RawAnswer.parse(try peer.receive(5_000 * one.count)).count == 5_000)
        }
    }

    @Test func `a file that shrinks ends its connection`() async throws {
        let (server, file) = try large()
        file.truncate(to: 100_000)
        try await EncryptedServer.blocking(server) { site in
            let peer = try site.connect()
            try peer.send(get("/b/1"))
            #expect(throws: Never.self) { try peer.socket.receiveAll() }
        }
    }

    // MARK: The end

    @Test func `a client that closes without close_notify is at its end`() async throws {
        try await EncryptedServer.blocking { site in
            let peer = try site.connect()
            try peer.send(get("/t/a"))
            peer.socket.finish()
            #expect(try peer.answers(1).map(\.status) == [200])
        }
    }

    @Test func `a client that leaves within a response ends its connection only`() async throws {
        let (server, _) = try large()
        try await EncryptedServer.blocking(server) { site in
            for path in ["/x", "/b/1"] {
                let leaving = try site.connect()
                try leaving.send(get(path))
                _ = try leaving.receiveRecord()
                leaving.socket.reset()
            }
            #expect(try site.connect().ask("/t/a") == 200)
        }
    }
}
