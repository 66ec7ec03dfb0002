import CCrypto
import Glibc

/// A TLS client on a socket of its own that sends what a test asks for, honest or not. It blocks,
/// for at most ten seconds a call. Belongs to one thread.
package final class TLSPeer {
    /// Continues on another connection.
    package final class Session {
        fileprivate let handle: OpaquePointer

        fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

        deinit { SSL_SESSION_free(handle) }
    }

    /// A call that failed.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package var description: String
        /// The alert that the server sent (RFC 8446, section 6).
        package var alert: Int?
    }

    private let handle: OpaquePointer
    package let socket: PeerSocket

    /// Connects, and agrees with the server.
    ///
    /// - Parameter room: bytes of the kernel's buffer for what is received; nil for the usual ones.
    package init(
        port: Int, _ offer: TLSOffer, continuing session: Session? = nil, room: CInt? = nil
    ) throws {
        let socket = try PeerSocket(port: port, room: room)
        var place: UnsafeMutablePointer<vitrine_tls_socket>?
        guard let handle = offer.open(socket.file, &place) else {
            throw Self.failure("open")
        }
        (self.handle, self.socket) = (handle, socket)
        if let session { SSL_set_session(handle, session.handle) }
        try perform("handshake") { SSL_do_handshake(handle) }
    }

    deinit {
        // Otherwise its session can't be continued.
        SSL_set_shutdown(handle, SSL_SENT_SHUTDOWN)
        SSL_free(handle)
    }

    /// Repeats a call until it is done or fails.
    @discardableResult
    private func perform(_ name: String, _ call: () -> CInt) throws -> CInt {
        while true {
            ERR_clear_error()
            let result = call()
            if result > 0 { return result }
            switch SSL_get_error(handle, result) {
            case SSL_ERROR_WANT_READ: try socket.wait(POLLIN)
            case SSL_ERROR_WANT_WRITE: try socket.wait(POLLOUT)
            case SSL_ERROR_ZERO_RETURN: return 0
            default: throw Self.failure(name)
            }
        }
    }

    private static func failure(_ call: String) -> Failure {
        let error = vitrine_tls_take_error()
        let reason = Int(vitrine_tls_reason(error))
        let text = ERR_reason_error_string(error).map { String(cString: $0) } ?? "errno \(errno)"
        let isAlert = (1_000..<1_256).contains(reason)
        return Failure(description: "\(call): \(text)", alert: isAlert ? reason - 1_000 : nil)
    }

    // MARK: What was agreed

    package var version: CInt { SSL_version(handle) }
    package var suite: String {
        String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(handle)))
    }
    package var isResumed: Bool { SSL_session_reused(handle) == 1 }

    /// The protocol that the server chose; nil for none.
    package var application: String? {
        var (name, length) = (UnsafePointer<UInt8>?.none, UInt32(0))
        SSL_get0_alpn_selected(handle, &name, &length)
        guard let name, length > 0 else { return nil }
        return String(
            decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// The common name of the server's certificate.
    package var certificate: String? {
        guard let certificate = SSL_get0_peer_certificate(handle) else { return nil }
        var text = [CChar](repeating: 0, count: 256)
        X509_NAME_get_text_by_NID(
            X509_get_subject_name(certificate), NID_commonName, &text, CInt(text.count))
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }

    /// The session so far. A ticket of TLS 1.3 arrives with the first bytes after the handshake.
    package var session: Session? { SSL_get1_session(handle).map { Session($0) } }

    // MARK: Bytes

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            var count = 0
            try bytes.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                _ = try perform("write") {
                    SSL_write_ex(handle, rest.baseAddress, rest.count, &count)
                }
            }
            sent += count
        }
    }

    /// Receives the data of one record; nothing at the end.
    package func receiveRecord() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        var count = 0
        try perform("read") { SSL_read_ex(handle, &bytes, bytes.count, &count) }
        return Array(bytes[..<count])
    }

    /// Receives until there are `count` bytes or no more come.
    package func receive(_ count: Int = .max) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try receiveRecord()
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    /// Says that nothing more is sent (close_notify).
    package func finish() { SSL_shutdown(handle) }

    /// Whether the server has said that it sends nothing more.
    package var isFinished: Bool { SSL_get_shutdown(handle) & SSL_RECEIVED_SHUTDOWN != 0 }

    /// Asks for new keys (RFC 8446, section 4.6.3), in a record of its own.
    package func updateKeys() throws {
        SSL_key_update(handle, SSL_KEY_UPDATE_NOT_REQUESTED)
        try perform("key update") { SSL_do_handshake(handle) }
    }

    /// Asks for another handshake (RFC 5246, section 7.4.1.1).
    package func renegotiate() throws {
        SSL_renegotiate(handle)
        try perform("renegotiation") { SSL_do_handshake(handle) }
        _ = try receiveRecord()
    }
}
