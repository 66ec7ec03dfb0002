import CCrypto

/// The settings of TLS connections, with a certificate and its key. Owns an `SSL_CTX`. Belongs to
/// one thread, and lives as long as its connections.
final class TLSContext {
    /// Bytes of a record (RFC 8446, section 5.1).
    static let recordSize = 16 << 10
    /// Bytes of a client's handshake. That of a browser has 2 KB.
    static let maxHandshake = 16 << 10
    /// Bytes of three records with what encryption adds (RFC 8446, section 5.2). With the fourth they are as much as
    /// HTTP/2 sends at once.
    private static let gatheredSize = 3 * (recordSize + 261)
    /// Bytes that are read from a file at once.
    private static let roomSize = 4 * recordSize

    /// The version of the identity that it was made from.
    let version: Int
    /// Where connections gather what they encrypt.
    let room = UnsafeMutableRawBufferPointer.allocate(
        byteCount: TLSContext.roomSize, alignment: 64)
    /// Where records of connections wait that are sent together. Empty between two calls.
    let records: UnsafeMutablePointer<vitrine_tls_records>
    let handle: OpaquePointer
    private let tickets: TicketKeys

    /// How all connections send and receive.
    // nonisolated(unsafe) because nothing changes it.
    nonisolated(unsafe) static let method = vitrine_tls_method()

    /// Returns nil without memory.
    init?(_ tickets: TicketKeys, version: Int, offersHTTP2: Bool) {
        guard let handle = vitrine_tls_context(TicketKeys.lifetime, offersHTTP2) else {
            return nil
        }
        guard let records = vitrine_tls_make_records(Self.gatheredSize) else {
            SSL_CTX_free(handle)
            return nil
        }
        self.handle = handle
        self.records = records
        self.tickets = tickets
        self.version = version
        tickets.use(in: handle)
    }

    deinit {
        SSL_CTX_free(handle)
        vitrine_tls_free_records(records)
        room.deallocate()
    }

    /// Returns how many certificates the text has; negative if they can't be read.
    func useCertificates(_ pem: UnsafeMutableRawBufferPointer) -> CInt {
        vitrine_tls_use_certificates(handle, pem.baseAddress, pem.count)
    }

    func useKey(_ pem: UnsafeMutableRawBufferPointer) -> vitrine_tls_key_state {
        vitrine_tls_use_key(handle, pem.baseAddress, pem.count)
    }
}
