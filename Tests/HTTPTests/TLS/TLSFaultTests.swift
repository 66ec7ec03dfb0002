import CCrypto
import Glibc
import TestSupport
import Testing

@testable import HTTP

/// Clients that break the protocol.
@Suite(.timeLimit(.minutes(1))) struct TLSFaultTests {
    /// Returns why the server ended its first connection.
    private func fault(
        of act: @escaping @Sendable (EncryptedServer) throws -> Void
    ) async throws -> TLSFault? {
        let server = PlayedServer()
        try await EncryptedServer.blocking(server) { site in
            try act(site)
            // The next client is served.
            #expect(try site.connect().ask("/t/a") == 200)
        }
        return server.faults.value.first
    }

    /// Sends bytes without TLS, and waits for the end.
    private func fault(of bytes: [UInt8]) async throws -> TLSFault? {
        try await fault { site in
            let socket = try PeerSocket(port: site.port)
            try socket.send(bytes)
            _ = try socket.receiveAll()
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT a:443 HTTP/1.1\r\n\r\n"])
    func `HTTP without TLS is named`(request: String) async throws {
        #expect(try await fault(of: Array(request.utf8)) == .plainHTTP)
    }

    @Test func `bytes of no protocol are named`() async throws {
        #expect(try await fault(of: (0...255).map { UInt8($0) }) == .notTLS)
        #expect(
            TLSFault.notTLS.description == "A client sent something other than TLS.")
    }

    /// A record of a handshake with the first bytes of a message of 65,535 bytes.
    private static func record(_ count: Int, isFirst: Bool = false) -> [UInt8] {
        [0x16, 3, 1, UInt8(count >> 8), UInt8(count & 0xff)]
            + (isFirst ? [1, 0, 0xff, 0xff, 3, 3] : [0, 0, 0, 0, 0, 0])
            + [UInt8](repeating: 0, count: count - 6)
    }

    @Test func `a handshake of more than 16 KiB is refused`() async throws {
        let hello = Self.record(16_000, isFirst: true) + Self.record(16_000)
        #expect(try await fault(of: hello) == .handshakeTooLong)
    }

    @Test func `a client that closes within its handshake is gone`() async throws {
        let fault = try await fault { site in
            let socket = try PeerSocket(port: site.port)
            try socket.send(Self.record(1_000, isFirst: true))
            socket.finish()
            _ = try socket.receiveAll()
        }
        #expect(fault == .cutOff)
    }

    @Test func `a client that does not trust the certificate is named`() async throws {
        let fault = try await fault { site in
            let other = try CertificateAuthority()
            #expect(throws: TLSPeer.Failure.self) {
                try site.connect { $0.authority = other.file }
            }
        }
        // The other authority has the same name.
        #expect(fault == .alert(51))
        #expect(TLSFault.alert(51).description == "A client ended TLS: decrypt error.")
    }

    /// What a client offers that the server can't take.
    struct Offer: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var adjust: @Sendable (inout TLSOffer) -> Void
        /// The alert that the client gets (RFC 8446, section 6.2).
        var alert: Int
        var fault: TLSFault

        static func suite(_ name: String) -> Offer {
            Offer(
                testDescription: name,
                adjust: { ($0.version, $0.suites) = (TLS1_2_VERSION, name) }, alert: 40,
                fault: .noCommonSuite)
        }
    }

    @Test(arguments: [
        Offer(
            testDescription: "another protocol", adjust: { $0.applications = ["spdy/3"] },
            alert: 120, fault: .noCommonApplication),
        Offer(
            testDescription: "TLS 1.1",
            adjust: { ($0.version, $0.suites) = (TLS1_1_VERSION, "ALL:@SECLEVEL=0") },
            alert: 70, fault: .noCommonVersion),
        // Suites that HTTP/2 forbids.
        .suite("ECDHE-ECDSA-AES128-SHA"), .suite("ECDHE-ECDSA-AES256-SHA384"),
        .suite("AES128-GCM-SHA256"),
    ])
    func `a client without a common protocol, version or suite is told, and named`(
        offer: Offer
    ) async throws {
        let fault = try await fault { site in
            let failure = #expect(throws: TLSPeer.Failure.self) { try site.connect(offer.adjust) }
            #expect(failure?.alert == offer.alert)
        }
        #expect(fault == offer.fault)
    }

    @Test func `a client that only changes its keys is disconnected`() async throws {
        let fault = try await fault { site in
            let peer = try site.connect { $0.version = TLS1_3_VERSION }
            for _ in 0..<10 { try peer.updateKeys() }
            #expect(try peer.ask("/t/a") == 200)
            while (try? peer.updateKeys()) != nil {}
        }
        #expect(fault == .floods)
    }

    @Test func `the server refuses to renegotiate`() async throws {
        try await EncryptedServer.blocking { site in
            let peer = try site.connect { $0.version = TLS1_2_VERSION }
            #expect(throws: TLSPeer.Failure.self) { try peer.renegotiate() }
        }
    }
}
