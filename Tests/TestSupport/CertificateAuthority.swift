import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// Signs certificates for loopback origins; its own lies in a file that clients can trust.
package final class CertificateAuthority: Sendable {
    /// PEM file with the authority's certificate, for `--ca-file`. Lives as long as this object.
    package let file: String

    private let directory: TemporaryDirectory
    private let key: Certificate.PrivateKey
    private let name: DistinguishedName

    package init() throws {
        key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        name = try DistinguishedName { CommonName("Vitrine test authority \(UUID().uuidString)") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey,
            notValidBefore: Date.now - 3_600, notValidAfter: Date.now + 86_400, issuer: name,
            subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            }, issuerPrivateKey: key)
        directory = try TemporaryDirectory()
        file = try directory.write(certificate.serializeAsPEM().pemString.utf8, to: "ca.pem")
    }

    /// A certificate for these names and for 127.0.0.1, and its fresh key, as PEM.
    package func issue(names: [String]) throws -> (certificate: String, key: String) {
        let own = P256.Signing.PrivateKey()
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(own.publicKey),
            notValidBefore: Date.now - 3_600, notValidAfter: Date.now + 86_400, issuer: name,
            subject: DistinguishedName { CommonName(names.first ?? "localhost") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(
                    names.map { .dnsName($0) }
                        + [.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))])
            }, issuerPrivateKey: key)
        return (try certificate.serializeAsPEM().pemString, own.pemRepresentation)
    }

    /// TLS settings of a server with a certificate of its own.
    func serverConfiguration(names: [String], protocols: [String]) throws -> TLSConfiguration {
        let issued = try issue(names: names)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(
                    try NIOSSLCertificate(bytes: Array(issued.certificate.utf8), format: .pem))
            ],
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(issued.key.utf8), format: .pem)))
        configuration.applicationProtocols = protocols
        return configuration
    }
}
