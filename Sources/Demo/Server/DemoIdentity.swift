import LoopbackTLS

/// A certificate of its own for a server on this machine, as PEM.
package struct DemoIdentity: Sendable {
    package let certificate: String
    package let key: String
    /// What clients must trust.
    package let authority: String

    /// For 127.0.0.1 and localhost.
    package init() throws(DemoOriginError) {
        do {
            let authority = try LoopbackAuthority(name: "Vitrine demo authority")
            let leaf = try authority.issue(hosts: ["localhost"], addresses: ["127.0.0.1"])
            certificate = leaf.certificate
            key = leaf.key
            self.authority = authority.pem
        } catch {
            throw .certificate(reason: "\(error)")
        }
    }
}
