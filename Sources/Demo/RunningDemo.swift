/// How to reach a running demo origin under the names of the real services, and what it shows: as
/// `vitrine-demo` prints it on one line of JSON.
package struct RunningDemo: Sendable, Equatable, Encodable {
    /// On 127.0.0.1.
    package let port: Int
    /// Names of the real services that it plays.
    package let hosts: [String]
    /// To be written to the file that `--ca-file` names.
    package let certificateAuthorityPEM: String
    /// Values of `--connect-to`, one for each host.
    package let connectTo: [String]
    /// Value of `--allow-network`.
    package let allowNetwork: String
    /// What the catalogs demand that let no caller in without.
    package let credentials: DemoCredentials
    /// What a demo warms, in this order.
    package let sources: [DemoSource]
}
