import CLinux
import Glibc

/// The bytes of a connection: those of its socket, or those that a session encrypts for it. Belongs to
/// the thread of the connection.
///
/// Every call behaves like the system call of its name: it never blocks, and returns -1 with `errno`.
struct Transport {
    let file: CInt
    /// What encrypts the connection; nil for one in plain text.
    let session: TLSTransport?

    init(_ file: CInt, _ session: TLSTransport? = nil) {
        self.file = file
        self.session = session
    }

    /// Receives bytes as far as they have arrived. Returns 0 at the end of the stream. Fewer bytes than
    /// `place` has room for mean that no more come before the next event.
    func receive(_ place: UnsafeMutableRawBufferPointer) -> Int {
        guard let session else { return vitrine_receive(file, place.baseAddress, place.count) }
        return session.receive(place)
    }

    /// Sends what fits.
    ///
    /// - Parameter more: whether more bytes, or the end of the connection, follow at once.
    func send(_ parts: UnsafePointer<iovec>, _ count: Int, more: Bool) -> Int {
        guard let session else { return vitrine_send(file, parts, count, more) }
        return session.send(parts, count, more: more)
    }

    /// Sends bytes of a file as far as they fit. Returns 0 at the end of the file.
    func sendFile(_ source: CInt, at offset: Int, _ count: Int) -> Int {
        guard let session else { return vitrine_send_file(file, source, offset, count) }
        return session.sendFile(source, at: offset, count)
    }

    /// Bytes that the client has not acknowledged.
    var unacknowledged: Int { Int(vitrine_unacknowledged(file)) }

    /// Says that nothing more is sent. The client may still send.
    func finish() {
        session?.finish()
        _ = shutdown(file, CInt(SHUT_WR))
    }

    /// Says that nothing more is sent, to a client that is about to see the end of the connection.
    func endSession() { session?.finish() }

    /// Whether nothing more is received, except why.
    var isAtEnd: Bool { session?.isAtEnd ?? false }

    func close() { _ = vitrine_close(file) }
}
