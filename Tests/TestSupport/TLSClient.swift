import CCrypto

/// How a test's client speaks TLS.
package final class TLSClient: Sendable {
    // nonisolated(unsafe) because OpenSSL locks what connections change.
    private nonisolated(unsafe) let context: OpaquePointer
    private let protocols: [UInt8]
    private let host: String?

    /// Trusts the authority whose certificate is in `file`, and offers `protocols` by ALPN. Asks for
    /// `host`; without one the certificate must be for 127.0.0.1.
    package init(trusting file: String, protocols: [String] = [], host: String? = nil) throws {
        guard let context = vitrine_tls_client(file) else {
            throw TLSPeer.Failure(description: "trust")
        }
        self.context = context
        self.protocols = protocols.flatMap { [UInt8($0.utf8.count)] + $0.utf8 }
        self.host = host
    }

    deinit { SSL_CTX_free(context) }

    func transport(_ file: CInt) -> LoopTransport? {
        LoopTransport(file, context) { handle in
            SSL_set_connect_state(handle)
            if !protocols.isEmpty {
                SSL_set_alpn_protos(handle, protocols, UInt32(protocols.count))
            }
            if let host {
                _ = vitrine_tls_ask_for(handle, host)
            } else {
                _ = vitrine_tls_expect_address(handle, "127.0.0.1")
            }
        }
    }
}
