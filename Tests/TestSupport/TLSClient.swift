import NIOSSL

/// How a test's client speaks TLS.
package struct TLSClient: Sendable {
    private let context: NIOSSLContext
    private let host: String?

    /// Trusts the authority whose certificate is in `file`, and offers `protocols` by ALPN. Asks for
    /// `host`; without one the certificate must be for the address.
    package init(trusting file: String, protocols: [String] = [], host: String? = nil) throws {
        self.host = host
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(file)
        configuration.applicationProtocols = protocols
        context = try NIOSSLContext(configuration: configuration)
    }

    /// The handler that comes first in a pipeline.
    func handler() throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: host)
    }
}
