import TestSupport

@testable import HTTP

/// The engine behind TLS, and clients that block.
struct EncryptedServer: Sendable {
    let port: Int
    let offer: TLSPeer.Offer

    /// Runs the body, which may block, beside a thread of the engine.
    static func with(
        _ server: PlayedServer,
        _ body: @escaping @Sendable (EncryptedServer) throws -> Void
    ) async throws {
        let files = try TLSSite.Files()
        let identity = try files.identity(TicketKeys())
        try await server.serving(identity) { port, _ in
            let site = EncryptedServer(port: port, offer: TLSPeer.Offer(files.authority.file))
            try await blocking { try body(site) }
        }
    }

    /// - Parameter name: asked for in place of the certificate's.
    func connect(asking name: String? = nil) throws -> TLSPeer {
        var offer = offer
        offer.askedName = name
        return try TLSPeer(port: port, offer)
    }

    func http2(window: Int = 65_535) throws -> HTTP2Peer {
        try HTTP2Peer(port: port, offer, window: window)
    }
}
