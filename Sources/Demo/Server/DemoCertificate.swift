import LoopbackTLS
import NIOSSL

/// A certificate for the demo's hosts, made on the spot.
struct DemoCertificate: Sendable {
    /// What clients must trust, PEM. It is worth nothing once the process has ended.
    let authorityPEM: String
    let serverConfiguration: TLSConfiguration

    init(hosts: [String]) throws(DemoOriginError) {
        do {
            let authority = try LoopbackAuthority(name: "Vitrine demo authority")
            let leaf = try authority.issue(hosts: hosts)
            authorityPEM = authority.pem
            serverConfiguration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(leaf.certificate.utf8))
                    .map { .certificate($0) },
                privateKey: .privateKey(
                    try NIOSSLPrivateKey(bytes: Array(leaf.key.utf8), format: .pem)))
        } catch {
            throw .certificate(reason: "\(error)")
        }
    }
}
