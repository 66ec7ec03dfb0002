import HTTP
import LoopbackTLS

/// A certificate for the demo's hosts, made on the spot.
struct DemoCertificate: Sendable {
    /// What clients must trust, PEM. It is worth nothing once the process has ended.
    let authorityPEM: String
    /// Nil for a transport without TLS.
    let identity: TLSIdentity?

    init(
        hosts: [String], _ transport: DemoOriginConfiguration.Transport
    ) throws(DemoOriginError) {
        do {
            let authority = try LoopbackAuthority(name: "Vitrine demo authority")
            let leaf = try authority.issue(hosts: hosts)
            authorityPEM = authority.pem
            identity =
                transport == .plain
                ? nil
                : try TLSIdentity(
                    certificateText: leaf.certificate, keyText: leaf.key,
                    offersHTTP2: transport == .http2)
        } catch {
            throw .certificate(reason: "\(error)")
        }
    }
}
