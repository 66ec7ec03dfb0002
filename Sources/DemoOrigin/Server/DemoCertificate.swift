import Crypto
import FoundationEssentials
import NIOSSL
import SwiftASN1
import X509

/// A certificate for the demo's hosts and the authority that signed it, both made on the spot.
///
/// The keys never leave the process; the authority vouches for these hosts only while it lives.
struct DemoCertificate: Sendable {
    /// What clients must trust, PEM.
    let authorityPEM: String
    let serverConfiguration: TLSConfiguration

    init(hosts: [String], now: Date = Date()) throws(DemoOriginError) {
        do {
            let authorityKey = P256.Signing.PrivateKey()
            let authorityName = try DistinguishedName {
                CommonName("Vitrine demo authority")
            }
            // A day of slack on either side for clocks that disagree.
            let validity = (from: now - 86_400, to: now + 30 * 86_400)
            let authority = try Certificate(
                version: .v3, serialNumber: .init(), publicKey: .init(authorityKey.publicKey),
                notValidBefore: validity.from, notValidAfter: validity.to, issuer: authorityName,
                subject: authorityName, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                    SubjectKeyIdentifier(hash: Certificate.PublicKey(authorityKey.publicKey))
                },
                issuerPrivateKey: .init(authorityKey))
            let key = P256.Signing.PrivateKey()
            let leaf = try Certificate(
                version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
                notValidBefore: validity.from, notValidAfter: validity.to, issuer: authorityName,
                subject: try DistinguishedName { CommonName("Vitrine demo origin") },
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.serverAuth])
                    SubjectAlternativeNames(hosts.map { .dnsName($0) })
                    SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
                },
                issuerPrivateKey: .init(authorityKey))
            authorityPEM = try authority.serializeAsPEM().pemString
            let chain = try NIOSSLCertificate.fromPEMBytes(
                Array(try leaf.serializeAsPEM().pemString.utf8))
            serverConfiguration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(
                    try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)))
        } catch {
            throw .certificate(reason: "\(error)")
        }
    }
}
