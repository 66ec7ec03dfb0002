import Foundation
import Synchronization
import TestSupport

@testable import HTTP

/// A server with a certificate of its own, and what its clients need.
struct TLSSite: Sendable {
    let server: PlayedTLSServer
    let identity: TLSIdentity
    let offer: TLSPeer.Offer
    /// Seconds by which tickets age.
    let clock: Clock
    private let files: Files

    final class Clock: Sendable {
        private let seconds = Atomic(1_000)

        var now: Int { seconds.load(ordering: .relaxed) }
        func advance(by amount: Int) { seconds.add(amount, ordering: .relaxed) }
    }

    /// The files of the certificate.
    struct Files: Sendable {
        let authority: CertificateAuthority
        let directory: TemporaryDirectory
        var certificate: String { directory.file("server.pem") }
        var key: String { directory.file("server.key") }

        init() throws {
            authority = try CertificateAuthority()
            directory = try TemporaryDirectory()
            try issue("localhost")
        }

        /// Replaces the certificate by one for this name and localhost.
        func issue(_ name: String) throws {
            let issued = try authority.issue(names: [name, "localhost"])
            try directory.write(issued.certificate.utf8, to: "server.pem")
            try directory.write(issued.key.utf8, to: "server.key")
        }

        func identity(_ tickets: TicketKeys) throws -> TLSIdentity {
            try TLSIdentity(certificate: certificate, key: key, tickets: tickets)
        }
    }

    /// Runs the body beside a server. It may block.
    static func with(_ body: @escaping @Sendable (TLSSite) throws -> Void) async throws {
        let files = try Files()
        let clock = Clock()
        let identity = try files.identity(TicketKeys(clock: { clock.now }))
        let server = try PlayedTLSServer(identity)
        let site = TLSSite(
            server: server, identity: identity, offer: TLSPeer.Offer(files.authority.file),
            clock: clock, files: files)
        let result: Result<Void, any Error>
        do {
            try await blocking { try body(site) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await server.stop()
        try result.get()
    }

    /// Replaces the certificate by one for this name.
    func reload(_ name: String) throws {
        try files.issue(name)
        try identity.reload()
    }

    func connect(
        _ adjust: (inout TLSPeer.Offer) -> Void = { _ in }, continuing: TLSPeer.Session? = nil
    ) throws -> TLSPeer {
        var offer = offer
        adjust(&offer)
        return try TLSPeer(port: server.port, offer, continuing: continuing)
    }
}
