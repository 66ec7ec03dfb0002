import HTTP
import LoopbackTLS

/// A certificate of its own for a server on this machine, as PEM.
package struct DemoIdentity: Sendable {
    package let certificate: String
    package let key: String
    /// What clients must trust. It is worth nothing once the process has ended.
    package let authority: String

    /// For these hosts, or for 127.0.0.1 and localhost.
    package init(hosts: [String] = []) throws(DemoOriginError) {
        do {
            let authority = try LoopbackAuthority(name: "Vitrine demo authority")
            let leaf = try authority.issue(
                hosts: hosts.isEmpty ? ["localhost"] : hosts,
                addresses: hosts.isEmpty ? ["127.0.0.1"] : [])
            certificate = leaf.certificate
            key = leaf.key
            self.authority = authority.pem
        } catch {
            throw .certificate(reason: "\(error)")
        }
    }

    func tls(offersHTTP2: Bool) throws -> TLSIdentity {
        try TLSIdentity(certificateText: certificate, keyText: key, offersHTTP2: offersHTTP2)
    }
}
