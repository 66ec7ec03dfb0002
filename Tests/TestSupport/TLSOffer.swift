import CCrypto

/// What a test's TLS client offers, and which server it trusts.
package struct TLSOffer: Sendable {
    /// File with the certificate of the authority that the client trusts.
    package var authority: String
    /// For ALPN; none without any.
    package var applications: [String]
    /// The name that the certificate must be for.
    package var host: String
    /// The name that the client asks for; nil for ``host``.
    package var askedName: String?
    /// The only version, such as `TLS1_2_VERSION`.
    package var version: CInt?
    /// Cipher suites of TLS 1.2, in OpenSSL's syntax.
    package var suites: String?

    package init(_ authority: String, _ applications: [String] = [], host: String = "localhost") {
        (self.authority, self.applications, self.host) = (authority, applications, host)
    }

    /// Returns a handle on the socket that asks for all this; nil if the file has no certificate. The
    /// caller frees it.
    func open(
        _ file: CInt, _ place: inout UnsafeMutablePointer<vitrine_tls_socket>?
    ) -> OpaquePointer? {
        guard let context = vitrine_tls_client(authority) else { return nil }
        // The handle keeps it.
        defer { SSL_CTX_free(context) }
        let method = LoopTransport.method
        guard let handle = vitrine_tls_open(context, method, file, .max, nil, &place) else {
            return nil
        }
        if let version { _ = vitrine_tls_set_versions(handle, version) }
        if let suites { SSL_set_cipher_list(handle, suites) }
        let protocols = applications.flatMap { [UInt8($0.utf8.count)] + $0.utf8 }
        if !protocols.isEmpty {
            SSL_set_alpn_protos(handle, protocols, UInt32(protocols.count))
        }
        _ = vitrine_tls_ask_for(handle, askedName ?? host)
        SSL_set1_host(handle, host)
        SSL_set_connect_state(handle)
        return handle
    }
}
