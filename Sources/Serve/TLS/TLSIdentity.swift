import Glibc
import NIOCore
import NIOSSL
import Synchronization

/// The certificate of the service and its key. They can be reloaded at run time.
package final class TLSIdentity: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let certificate: String
    private let key: String
    private let goodbye: Duration
    private let current: Mutex<NIOSSLContext>

    /// Reads PEM files: the certificate with its chain, and its private key. Blocks.
    ///
    /// - Parameter goodbye: limit of the wait for a client's close_notify.
    package init(
        certificate: String, key: String, goodbye: Duration = .seconds(5)
    ) throws(Failure) {
        self.certificate = certificate
        self.key = key
        self.goodbye = goodbye
        current = Mutex(try Self.read(certificate: certificate, key: key, goodbye: goodbye))
    }

    /// Reads both files again for later connections. If they are invalid, the old ones stay in
    /// force. Blocks.
    package func reload() throws(Failure) {
        let fresh = try Self.read(certificate: certificate, key: key, goodbye: goodbye)
        current.withLock { $0 = fresh }
    }

    var context: NIOSSLContext { current.withLock { $0 } }

    /// Returns whether reading a path could wait for ever, as for the writer of a pipe.
    private static func isIrregular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    private static func read(
        certificate: String, key: String, goodbye: Duration
    ) throws(Failure) -> NIOSSLContext {
        for path in [certificate, key] where isIrregular(path) {
            throw Failure(description: "\(path) is not a regular file; it has to be a PEM file.")
        }
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
