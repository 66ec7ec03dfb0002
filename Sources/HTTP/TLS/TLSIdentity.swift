import CCrypto
import Glibc
import Synchronization

/// The certificate of the service and its key. They can be reloaded at run time.
package final class TLSIdentity: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The text of both files.
    private typealias Texts = (certificate: SecretBytes, key: SecretBytes)

    /// Where the texts are from, for messages.
    private let certificate: String
    private let key: String
    private let isFromFiles: Bool
    private let offersHTTP2: Bool
    private let tickets: TicketKeys
    private let current: Mutex<Texts>
    private let reloads = Atomic(0)

    /// Reads PEM files: the certificate with its chain, and its private key. Blocks.
    ///
    /// - Parameter tickets: keys of its own if nil.
    package init(
        certificate: String, key: String, tickets: TicketKeys? = nil
    ) throws(Failure) {
        guard let tickets = tickets ?? (try? TicketKeys()) else { throw Self.noMemory }
        (self.certificate, self.key, isFromFiles, offersHTTP2) = (certificate, key, true, true)
        self.tickets = tickets
        current = Mutex(try Self.read(certificate, key, tickets))
    }

    /// Takes PEM texts instead of files.
    ///
    /// - Parameter offersHTTP2: whether connections may speak HTTP/2.
    package init(
        certificateText: String, keyText: String, offersHTTP2: Bool
    ) throws(Failure) {
        guard let tickets = try? TicketKeys(), let chain = SecretBytes(certificateText.utf8),
            let secret = SecretBytes(keyText.utf8)
        else { throw Self.noMemory }
        (certificate, key, isFromFiles) = ("The certificate", "The key", false)
        self.offersHTTP2 = offersHTTP2
        self.tickets = tickets
        current = Mutex((chain, secret))
        _ = try context()
    }

    /// Reads both files again for later connections. If they are invalid, the old ones stay in
    /// force. Blocks.
    package func reload() throws(Failure) {
        guard isFromFiles else { return }
        let fresh = try Self.read(certificate, key, tickets)
        current.withLock { $0 = fresh }
        reloads.add(1, ordering: .releasing)
    }

    /// Changes with each reload: the contexts made before are out of date.
    var version: Int { reloads.load(ordering: .acquiring) }

    /// Makes a context with the current certificate. Each thread has one of its own, with a key of
    /// its own, because OpenSSL locks what contexts share.
    func context() throws(Failure) -> TLSContext {
        let version = version
        let texts = current.withLock { $0 }
        return try Self.context(texts, certificate, key, tickets, version, offersHTTP2)
    }

    /// A chain has a few certificates of 2 KB.
    private static let maxFileSize = 1 << 20

    private static func read(
        _ certificate: String, _ key: String, _ tickets: TicketKeys
    ) throws(Failure) -> Texts {
        for path in [certificate, key] where isIrregular(path) {
            throw Failure(description: "\(path) is not a regular file; it has to be a PEM file.")
        }
        guard let chain = SecretBytes(file: certificate, limit: maxFileSize) else {
            throw unreadable(certificate, "a certificate")
        }
        guard let secret = SecretBytes(file: key, limit: maxFileSize) else {
            throw unreadable(key, "a private key")
        }
        let texts = (chain, secret)
        // Checks that they belong together.
        _ = try context(texts, certificate, key, tickets, 0, true)
        return texts
    }

    private static let noMemory = Failure(description: "There is no memory for TLS.")

    private static func unreadable(_ path: String, _ kind: String) -> Failure {
        Failure(description: "\(path) can't be read as \(kind); it has to be a PEM file.")
    }

    private static func context(
        _ texts: Texts, _ certificate: String, _ key: String, _ tickets: TicketKeys,
        _ version: Int, _ offersHTTP2: Bool
    ) throws(Failure) -> TLSContext {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let context = TLSContext(tickets, version: version, offersHTTP2: offersHTTP2) else {
            throw noMemory
        }
        switch context.useCertificates(texts.certificate.bytes) {
        case 1...: break
        case 0: throw Failure(description: "\(certificate) holds no certificate.")
        default: throw unreadable(certificate, "a certificate")
        }
        switch context.useKey(texts.key.bytes) {
        case vitrine_tls_key_good: return context
        case vitrine_tls_key_unreadable: throw unreadable(key, "a private key")
        default: throw Failure(description: "\(key) is not the key of \(certificate).")
        }
    }

    /// Returns whether reading a path could wait for ever, as for the writer of a pipe.
    private static func isIrregular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }
}
