import CCrypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An authority of its own that vouches for servers on this machine; its key never leaves the process.
package final class LoopbackAuthority: Sendable {
    /// The authority's certificate, which clients must trust, as PEM.
    package let pem: String

    // Because libcrypto only reads these, and counts references with atomics.
    private nonisolated(unsafe) let certificate: OpaquePointer
    // Because of the same.
    private nonisolated(unsafe) let key: OpaquePointer

    /// - Throws: ``CertificateError`` where libcrypto fails, in its words.
    package init(name: String) throws(CertificateError) {
        (certificate, key) = try Self.make(name, alternatives: nil, issuer: nil, issuerKey: nil)
        pem = try Self.text(vitrine_crypto_certificate_pem(certificate))
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// A certificate for these host names and IP addresses, and its fresh key, both as PEM.
    package func issue(
        hosts: [String], addresses: [String] = []
    ) throws(CertificateError) -> (certificate: String, key: String) {
        let names = (hosts.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }).joined(
            separator: ",")
        let (leaf, leafKey) = try Self.make(
            hosts.first ?? "localhost", alternatives: names, issuer: certificate, issuerKey: key)
        defer {
            X509_free(leaf)
            EVP_PKEY_free(leafKey)
        }
        return (
            try Self.text(vitrine_crypto_certificate_pem(leaf)),
            try Self.text(vitrine_crypto_key_pem(leafKey))
        )
    }

    /// Days that certificates are good for.
    private static let days: Int32 = 30

    private static func make(
        _ name: String, alternatives: String?, issuer: OpaquePointer?, issuerKey: OpaquePointer?
    ) throws(CertificateError) -> (OpaquePointer, OpaquePointer) {
        var key: OpaquePointer?
        // A common name has at most 64 letters.
        let made = vitrine_crypto_certificate(
            String(name.prefix(64)), alternatives, days, issuer, issuerKey, &key)
        guard let made, let key else { throw CertificateError() }
        return (made, key)
    }

    private static func text(
        _ text: UnsafeMutablePointer<CChar>?
    ) throws(CertificateError) -> String {
        guard let text else { throw CertificateError() }
        defer { free(text) }
        return String(cString: text)
    }
}

/// libcrypto could not make a certificate.
package struct CertificateError: Error, CustomStringConvertible {
    /// In the words of libcrypto.
    package let description: String

    init() {
        var text = [CChar](repeating: 0, count: 256)
        vitrine_crypto_error_text(vitrine_crypto_error(), &text, text.count)
        description = text.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }
}
