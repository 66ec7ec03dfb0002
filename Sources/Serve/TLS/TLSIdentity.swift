import NIOCore
import NIOSSL
import Synchronization

/// The certificate that the service proves itself with, and its key; can be read anew while it runs.
package final class TLSIdentity: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let certificate: String
    private let key: String
    private let goodbye: Duration
    private let current: Mutex<NIOSSLContext>

    /// Paths of PEM files: the certificate with its chain, and its private key. A client that could
    /// still say goodbye is waited for as long as `goodbye`. Blocks.
    package init(
        certificate: String, key: String, goodbye: Duration = .seconds(5)
    ) throws(Failure) {
        self.certificate = certificate
        self.key = key
        self.goodbye = goodbye
        current = Mutex(try Self.read(certificate: certificate, key: key, goodbye: goodbye))
    }

    /// Reads both files again, for connections from now on; what is wrong with them leaves the old
    /// ones in place. Blocks.
    package func reload() throws(Failure) {
        let fresh = try Self.read(certificate: certificate, key: key, goodbye: goodbye)
        current.withLock { $0 = fresh }
    }

    var context: NIOSSLContext { current.withLock { $0 } }

    private static func read(
        certificate: String, key: String, goodbye: Duration
    ) throws(Failure) -> NIOSSLContext {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificate)
        } catch {
            throw Failure(
                description:
                    "\(certificate) can't be read as a certificate; it has to be a PEM file.")
        }
        let privateKey: NIOSSLPrivateKey
        do {
            privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
        } catch {
            throw Failure(
                description: "\(key) can't be read as a private key; it has to be a PEM file.")
        }
        guard !chain.isEmpty else {
            throw Failure(description: "\(certificate) holds no certificate.")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.shutdownTimeout = TimeAmount(goodbye)
        configuration.applicationProtocols = ["h2", "http/1.1"]
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw Failure(description: "\(key) is not the key of \(certificate).")
        }
    }
}
