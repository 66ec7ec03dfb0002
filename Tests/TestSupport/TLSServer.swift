import CCrypto

/// TLS of a test's origin, with a certificate of its own.
final class TLSServer: Sendable {
    // nonisolated(unsafe) because OpenSSL locks what connections change.
    private nonisolated(unsafe) let context: OpaquePointer

    init(_ authority: CertificateAuthority, names: [String], http2: Bool) throws {
        // Seconds for which a session can be continued.
        guard let context = vitrine_tls_context(3_600, http2) else {
            throw TLSPeer.Failure(description: "context")
        }
        self.context = context
        let issued = try authority.issue(names: names)
        let isGood =
            vitrine_tls_use_certificates(context, issued.certificate, issued.certificate.utf8.count)
            == 1
            && vitrine_tls_use_key(context, issued.key, issued.key.utf8.count)
                == vitrine_tls_key_good
        guard isGood else { throw TLSPeer.Failure(description: "certificate") }
    }

    deinit { SSL_CTX_free(context) }

    func transport(_ file: CInt) -> LoopTransport? { LoopTransport(file, serving: context) }
}
