import CCrypto
import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct TLSTransportTests {
    // MARK: What is agreed

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `the server speaks TLS 1.2 and 1.3`(version: CInt) async throws {
        try await TLSSite.with { site in
            let peer = try site.connect { $0.version = version }
            try peer.send("say hello\n")
            #expect(try peer.receive(7) == Array("<hello>".utf8))
            #expect(peer.version == version)
        }
    }

    @Test func `the server refuses TLS 1.1`() async throws {
        try await TLSSite.with { site in
            let failure = #expect(throws: TLSPeer.Failure.self) {
                try site.connect { ($0.version, $0.suites) = (TLS1_1_VERSION, "ALL:@SECLEVEL=0") }
            }
            #expect(failure?.alert == 70)  // protocol_version
        }
    }

    @Test(arguments: [
        (["http/1.1", "h2"], "h2"), (["h2"], "h2"), (["http/1.1"], "http/1.1"),
        (["spdy/3", "http/1.1"], "http/1.1"), ([], nil),
    ])
    func `the server prefers HTTP/2, and speaks HTTP/1.1 without ALPN`(
        offered: [String], chosen: String?
    ) async throws {
        try await TLSSite.with { site in
            let peer = try site.connect { $0.applications = offered }
            #expect(peer.application == chosen)
        }
    }

    @Test func `a client without a common protocol gets no_application_protocol`() async throws {
        try await TLSSite.with { site in
            let failure = #expect(throws: TLSPeer.Failure.self) {
                try site.connect { $0.applications = ["spdy/3"] }
            }
            #expect(failure?.alert == 120)
        }
    }

    @Test(arguments: ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "AES128-GCM-SHA256"])
    func `the server refuses suites that HTTP/2 forbids`(suite: String) async throws {
        try await TLSSite.with { site in
            let failure = #expect(throws: TLSPeer.Failure.self) {
                try site.connect { ($0.version, $0.suites) = (TLS1_2_VERSION, suite) }
            }
            #expect(failure?.alert == 40)  // handshake_failure
        }
    }

    // MARK: Sessions

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a session continues after a reload, until its ticket's key is forgotten`(
        version: CInt
    ) async throws {
        try await TLSSite.with { site in
            func visit(_ session: TLSPeer.Session?) throws -> TLSPeer {
                let peer = try site.connect({ $0.version = version }, continuing: session)
                try peer.send("say a\n")
                _ = try peer.receive(3)
                return peer
            }
            let first = try visit(nil)
            #expect(!first.isResumed)
            try site.reload("other")
            #expect(try visit(first.session).isResumed)
            // The key is not the newest any more.
            site.clock.advance(by: TicketKeys.lifetime)
            #expect(try visit(nil).certificate == "other")
            let late = try visit(first.session)
            #expect(late.isResumed)
            // Its new ticket is of the newer key.
            site.clock.advance(by: TicketKeys.lifetime)
            #expect(try !visit(first.session).isResumed)
            #expect(try visit(late.session).isResumed)
            // Nobody came for so long that both keys are too old.
            site.clock.advance(by: 2 * TicketKeys.lifetime)
            #expect(try !visit(late.session).isResumed)
        }
    }

    // MARK: Bytes

    @Test func `a head and its body are one record`() async throws {
        try await TLSSite.with { site in
            let peer = try site.connect()
            try peer.send("say hello\n")
            #expect(try peer.receiveRecord() == Array("<hello>".utf8))
        }
    }

    @Test(arguments: ["body", "file"])
    func `a large body arrives whole, however slowly it is read`(order: String) async throws {
        try await TLSSite.with { site in
            let peer = try site.connect()
            // More than the buffers of both sockets.
            try peer.send("\(order) 1048576\nsay end\n")
            var received: [UInt8] = []
            while received.count < 1 << 20 { received += try peer.receiveRecord() }
            #expect(received == site.server.file.bytes)
            #expect(try peer.receive(5) == Array("<end>".utf8))
        }
    }

    @Test func `requests that come together are all read`() async throws {
        try await TLSSite.with { site in
            let peer = try site.connect()
            let orders = (0..<10_000).map { "say \($0)\n" }.joined()
            try peer.send(orders)
            let answers = (0..<10_000).map { "<\($0)>" }.joined()
            #expect(try peer.receive(answers.utf8.count) == Array(answers.utf8))
        }
    }

    @Test func `a file that shrinks ends its connection`() async throws {
        try await TLSSite.with { site in
            let peer = try site.connect()
            site.server.file.truncate(to: 100_000)
            try peer.send("file 1048576\n")
            #expect(throws: Never.self) { try peer.socket.receiveAll() }
        }
    }

    // MARK: The end

    @Test func `close_notify ends one direction`() async throws {
        try await TLSSite.with { site in
            let peer = try site.connect()
            try peer.send("say a\n")
            peer.finish()
            // The server still answers, and says when it is done.
            try peer.send("")
            #expect(try peer.receive(3) == Array("<a>".utf8))
            #expect(!peer.isFinished)
        }
        try await TLSSite.with { site in
            let peer = try site.connect()
            try peer.send("finish\n")
            #expect(try peer.receive().isEmpty)
            #expect(peer.isFinished)
        }
        try await TLSSite.with { site in
            let peer = try site.connect()
            try peer.send("say a\nleave\n")
            #expect(try peer.receive() == Array("<a>".utf8))
            #expect(peer.isFinished)
        }
    }

    @Test func `a client that closes without close_notify is at its end`() async throws {
        try await TLSSite.with { site in
            let peer = try site.connect()
            try peer.send("say a\n")
            peer.socket.finish()
            #expect(try peer.receive(3) == Array("<a>".utf8))
        }
    }

    @Test func `a client that leaves within a response ends its connection only`() async throws {
        try await TLSSite.with { site in
            for order in ["body", "file"] {
                let leaving = try site.connect()
                try leaving.send("\(order) 1048576\n")
                _ = try leaving.receiveRecord()
                leaving.socket.reset()
            }
            let next = try site.connect()
            try next.send("say a\n")
            #expect(try next.receive(3) == Array("<a>".utf8))
        }
    }
}
