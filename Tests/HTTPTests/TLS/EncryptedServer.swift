import Foundation
import TestSupport

@testable import HTTP

/// The engine behind TLS with a certificate of its own, and its clients.
struct EncryptedServer: Sendable {
    let port: Int
    let offer: TLSOffer
    /// By which tickets age.
    let clock: ManualClock
    private let files: Files
    private let identity: TLSIdentity

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

        func identity(_ tickets: TicketKeys? = nil) throws -> TLSIdentity {
            try TLSIdentity(certificate: certificate, key: key, tickets: tickets ?? TicketKeys())
        }
    }

    /// Runs the body beside a thread of the engine.
    static func with(
        _ server: PlayedServer,
        _ body: (EncryptedServer, ServerThread) async throws -> Void
    ) async throws {
        let (files, clock) = (try Files(), ManualClock())
        let identity = try files.identity(
            TicketKeys(clock: { Int(clock.now.timeIntervalSince1970) }))
        try await server.serving(identity) { port, thread in
            let site = EncryptedServer(
                port: port, offer: TLSOffer(files.authority.file), clock: clock, files: files,
                identity: identity)
            try await body(site, thread)
        }
    }

    /// Does so with a body that blocks.
    static func blocking(
        _ server: PlayedServer = PlayedServer(),
        _ body: @escaping @Sendable (EncryptedServer) throws -> Void
    ) async throws {
        try await with(server) { site, _ in
            try await TestSupport.blocking { try body(site) }
        }
    }

    /// Replaces the certificate by one for this name.
    func reload(_ name: String) throws {
        try files.issue(name)
        try identity.reload()
    }

    func connect(
        _ adjust: (inout TLSOffer) -> Void = { _ in }, continuing: TLSPeer.Session? = nil,
        room: CInt? = nil
    ) throws -> TLSPeer {
        var offer = offer
        adjust(&offer)
        return try TLSPeer(port: port, offer, continuing: continuing, room: room)
    }

    func http2(window: Int = 65_535) async throws -> HTTP2Client {
        var offer = offer
        offer.applications = ["h2"]
        return try await HTTP2Client.open(port: port, tls: offer, window: window)
    }
}

extension TLSPeer {
    /// Receives until there are as many responses, or no more bytes come.
    func answers(_ count: Int) throws -> [RawAnswer] {
        var bytes: [UInt8] = []
        while RawAnswer.parse(bytes).count < count {
            let more = try receiveRecord()
            if more.isEmpty { break }
            bytes += more
        }
        return RawAnswer.parse(bytes)
    }

    /// Sends a request and returns the response's status; nil without one.
    func ask(_ path: String, _ fields: String = "") throws -> Int? {
        try send(get(path, fields))
        return try answers(1).first?.status
    }
}
