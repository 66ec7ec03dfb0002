import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTP

/// HTTP/1.1 over TLS, by the loop.
@Suite(.timeLimit(.minutes(1))) struct EncryptedRequestTests {
    @Test func `hits, files and responders answer over TLS, in order`() async throws {
        let file = try PlayedFile(count: 3 << 20)
        let server = PlayedServer(file)
        try await EncryptedServer.blocking(server) { site in
            let peer = try site.connect()
            try peer.send(
                get("/t/a") + get("/b/1") + get("/x") + get("/t/a"))
            let answers = try peer.answers(4)
            #expect(answers.map(\.status) == [200, 200, 404, 200])
            #expect(answers.first?.body == Array("picture".utf8))
            #expect(answers.dropFirst().first?.body == file.bytes)
        }
        #expect(server.counters.responded.now == 1)
    }

    @Test func `a connection that closes says so first`() async throws {
        let server = PlayedServer()
        try await EncryptedServer.blocking(server) { site in
            for path in ["/t/a", "/x"] {
                let peer = try site.connect()
                try peer.send(get(path, "Connection: close\r\n"))
                #expect(try peer.answers(1).count == 1)
                #expect(try peer.receiveRecord().isEmpty)
                #expect(peer.isFinished)
            }
        }
        await server.allClosed()
    }

    @Test(arguments: [false, true])
    func `a client that ends TLS is answered, and told the same`(atOnce: Bool) async throws {
        try await EncryptedServer.blocking { site in
            let peer = try site.connect()
            try peer.send(get("/t/a"))
            if atOnce { peer.finish() }
            #expect(try peer.answers(1).count == 1)
            if !atOnce { peer.finish() }
            #expect(try peer.receiveRecord().isEmpty)
            #expect(peer.isFinished)
        }
    }

    @Test func `a body reaches its responder over TLS`() async throws {
        let server = PlayedServer { _, work in
            guard case .whole(let body) = await work.body(upTo: 1 << 20) else { return work.fail() }
            PlayedResponder.send(200, "\(body.count)", work)
        }
        try await EncryptedServer.blocking(server) { site in
            let peer = try site.connect()
            let body = String(repeating: "a", count: 300_000)
            try peer.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n" + body)
            #expect(try peer.answers(1).first?.body == Array("300000".utf8))
        }
    }

    @Test func `a client that asks for another name is answered, and the name is reported`()
        async throws
    {
        let server = PlayedServer()
        try await EncryptedServer.blocking(server) { site in
            for name in [nil, "other.example"] {
                let peer = try site.connect { $0.askedName = name }
                for _ in 0..<2 {
                    try peer.send(get("/t/a"))
                    #expect(try peer.answers(1).map(\.status) == [200])
                }
            }
        }
        #expect(server.otherNames.value == ["other.example"])
    }

    @Test func `a request waits for at most four handshakes`() async throws {
        let server = PlayedServer()
        let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let answered = Watched<Int?>(nil)
        try await EncryptedServer.blocking(server) { site in
            let crowd = try (0..<30).map { _ in try PeerSocket(port: site.port) }
            for one in crowd { try one.send([0x16]) }
            let (first, second) = (try site.connect(), try site.connect())
            // Each round deals with a few of the crowd.
            for _ in 0..<20 {
                for peer in [first, second] {
                    try peer.send(get("/x"))
                    #expect(try peer.answers(1).map(\.status) == [404])
                }
            }
            #expect(server.counters.accepted.now == 32)
            let counters = server.counters
            server.source.onFind.withLock {
                $0 = { target in
                    if target == "/t/first" {
                        held.signal()
                        release.wait()
                    } else {
                        answered.change { $0 = counters.accepted.now - counters.open.now }
                    }
                }
            }
            try first.send(get("/t/first"))
            held.wait()
            // Not a handshake, which the server says.
            for one in crowd { try one.send([UInt8](repeating: 0xff, count: 16)) }
            try second.send(get("/t/second"))
            release.signal()
            #expect(try second.answers(1).map(\.status) == [404])
            #expect(answered.value.map { (1...4).contains($0) } == true, "\(answered.value ?? 0)")
            for one in crowd { _ = try one.receiveAll() }
        }
        await server.allClosed()
    }
}
