/// How to reach a running demo origin under the names of the real services.
package struct RunningDemo: Sendable, Equatable {
    /// On 127.0.0.1.
    package let port: Int
    /// To be written to the file that `--ca-file` names.
    package let certificateAuthorityPEM: String
    /// Values of `--connect-to`, one for each host.
    package let connectTo: [String]
    /// Value of `--allow-network`.
    package let allowNetwork = "127.0.0.0/8"
    /// What the catalogues demand that let nobody in without.
    package let credentials: DemoCredentials

    init(
        port: Int, hosts: [String], certificateAuthorityPEM: String, credentials: DemoCredentials
    ) {
        self.port = port
        self.certificateAuthorityPEM = certificateAuthorityPEM
        self.credentials = credentials
        connectTo = hosts.map { "\($0):443:127.0.0.1:\(port)" }
    }
}
