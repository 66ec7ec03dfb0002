import CCrypto
import Glibc

/// The bytes of a test's connection, encrypted or not. It never blocks. Belongs to one thread.
final class LoopTransport {
    enum Step {
        case bytes([UInt8])
        /// Nothing has arrived.
        case wait
        /// The other end sends nothing more.
        case end
        case failure
    }

    // nonisolated(unsafe) because nothing changes it.
    nonisolated(unsafe) static let method = vitrine_tls_method()

    private let file: CInt
    private let handle: OpaquePointer?
    private var place: UnsafeMutablePointer<vitrine_tls_socket>?
    /// What is not sent.
    private var unsent: [UInt8] = []
    private var sent = 0
    /// Whether TLS can continue only once the socket takes bytes.
    private var wantsRoom = false
    /// Whether bytes can be exchanged.
    private(set) var isEstablished: Bool

    /// Without TLS.
    init(_ file: CInt) {
        (self.file, handle, isEstablished) = (file, nil, true)
    }

    /// The client's end of TLS.
    init?(_ file: CInt, _ offer: TLSOffer) {
        guard let handle = offer.open(file, &place) else { return nil }
        (self.file, self.handle, isEstablished) = (file, handle, false)
    }

    /// The server's end of TLS.
    init?(_ file: CInt, serving context: OpaquePointer) {
        guard let handle = vitrine_tls_open(context, Self.method, file, .max, nil, &place) else {
            return nil
        }
        SSL_set_accept_state(handle)
        (self.file, self.handle, isEstablished) = (file, handle, false)
    }

    deinit {
        if let handle { SSL_free(handle) }
    }

    /// Whether the loop has to wait until the socket takes bytes.
    var wantsToSend: Bool { wantsRoom || isEstablished && !unsent.isEmpty }
    var isDrained: Bool { unsent.isEmpty }

    /// Whether both ends have agreed on HTTP/2.
    var isHTTP2: Bool {
        guard let handle else { return false }
        var (name, length) = (UnsafePointer<UInt8>?.none, UInt32(0))
        SSL_get0_alpn_selected(handle, &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }

    /// Continues the handshake. Returns false if it failed.
    func shakeHands() -> Bool {
        guard let handle, !isEstablished else { return true }
        ERR_clear_error()
        let result = SSL_do_handshake(handle)
        isEstablished = result > 0
        return isEstablished || isPatient(result)
    }

    /// Returns whether a call that didn't succeed can be repeated later.
    private func isPatient(_ result: CInt) -> Bool {
        guard let handle else { return false }
        let error = SSL_get_error(handle, result)
        wantsRoom = error == SSL_ERROR_WANT_WRITE
        return [SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE].contains(error)
    }

    /// Receives once.
    func receive(_ room: Int) -> Step {
        var bytes = [UInt8](repeating: 0, count: room)
        guard let handle, let place else {
            let count = recv(file, &bytes, room, CInt(MSG_DONTWAIT))
            if count > 0 { return .bytes(Array(bytes[..<count])) }
            return count == 0 ? .end : [EAGAIN, EINTR].contains(errno) ? .wait : .failure
        }
        while true {
            ERR_clear_error()
            place.pointee.isDrained = false
            var count = 0
            let result = SSL_read_ex(handle, &bytes, room, &count)
            if result > 0 { return .bytes(Array(bytes[..<count])) }
            if SSL_get_error(handle, result) == SSL_ERROR_ZERO_RETURN { return .end }
            guard isPatient(result) else { return .failure }
            // It may have been a record without data.
            if wantsRoom || place.pointee.isDrained { return .wait }
        }
    }

    func queue(_ bytes: some Sequence<UInt8>) { unsent += bytes }

    /// Sends what fits. Returns false if the connection is gone.
    func flush() -> Bool {
        guard isEstablished else { return true }
        wantsRoom = false
        while sent < unsent.count {
            let count = unsent[sent...].withUnsafeBytes { bytes in
                guard let handle else {
                    let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
                    return send(file, bytes.baseAddress, bytes.count, flags)
                }
                ERR_clear_error()
                var count = 0
                let result = SSL_write_ex(handle, bytes.baseAddress, bytes.count, &count)
                if result > 0 { return count }
                errno = isPatient(result) ? EAGAIN : EPIPE
                return -1
            }
            guard count > 0 else {
                if errno == EINTR { continue }
                return errno == EAGAIN
            }
            sent += count
        }
        (unsent, sent) = ([], 0)
        return true
    }

    /// Says that nothing more is sent.
    func finish() {
        guard let handle, isEstablished else { return }
        ERR_clear_error()
        SSL_shutdown(handle)
        ERR_clear_error()
    }
}
