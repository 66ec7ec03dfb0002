import LoopbackTLS

/// Signs certificates for loopback origins; its own lies in a file that clients can trust.
package final class CertificateAuthority: Sendable {
    /// PEM file with the authority's certificate, for `--ca-file`. Lives as long as this object.
    package let file: String

    private let directory: TemporaryDirectory
    private let authority: LoopbackAuthority

    package init() throws {
        authority = try LoopbackAuthority(name: "Vitrine test authority")
        directory = try TemporaryDirectory()
        file = try directory.write(authority.pem.utf8, to: "ca.pem")
    }

    /// A certificate for these names and for 127.0.0.1, and its fresh key, as PEM.
    package func issue(names: [String]) throws -> (certificate: String, key: String) {
        try authority.issue(hosts: names, addresses: ["127.0.0.1"])
    }
}
