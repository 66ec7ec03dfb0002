import CCrypto
import Glibc
import TestSupport

/// A TLS client of which one flight is changed before it is sent. Belongs to one thread.
final class MangledTLSClient {
    private let context: OpaquePointer
    private let handle: OpaquePointer
    private let received: OpaquePointer
    private let written: OpaquePointer
    private let socket: PeerSocket
    private var flight = 0
    private let mangled: Int
    private let mangle: ([UInt8]) -> [UInt8]
    private var isMangled = false

    /// Connects.
    ///
    /// - Parameters:
    ///   - flight: the number of the flight that is changed, from 0, the ClientHello.
    ///   - mangle: changes it.
    init(
        port: Int, version: CInt, flight: Int, _ mangle: @escaping ([UInt8]) -> [UInt8]
    ) throws {
        socket = try PeerSocket(port: port)
        guard let context = SSL_CTX_new(TLS_client_method()), let handle = SSL_new(context),
            let received = BIO_new(BIO_s_mem()), let written = BIO_new(BIO_s_mem()),
            vitrine_tls_set_versions(handle, version)
        else { throw ConnectionRun.Fault(description: "no memory for TLS") }
        // The handle owns both.
        SSL_set_bio(handle, received, written)
        SSL_set_connect_state(handle)
        (self.context, self.handle, self.received, self.written) = (
            context, handle, received, written
        )
        (mangled, self.mangle) = (flight, mangle)
    }

    deinit {
        SSL_free(handle)
        SSL_CTX_free(context)
    }

    /// Agrees with the server, sends a request and waits for the end of the connection. Returns whether
    /// both ends agreed.
    func run(_ request: [UInt8]) throws -> Bool {
        let isAgreed = try perform { SSL_do_handshake(handle) }
        if isAgreed {
            _ = try perform { SSL_write(handle, request, CInt(request.count)) }
            SSL_shutdown(handle)
            try send()
            socket.finish()
        }
        _ = try socket.receiveAll()
        ERR_clear_error()
        return isAgreed
    }

    /// Repeats a call until it is done. Returns false if it fails.
    private func perform(_ call: () -> CInt) throws -> Bool {
        while true {
            ERR_clear_error()
            let result = call()
            try send()
            if result > 0 { return true }
            guard SSL_get_error(handle, result) == SSL_ERROR_WANT_READ, try receive() else {
                socket.finish()
                return false
            }
        }
    }

    /// Sends what OpenSSL has written.
    private func send() throws {
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(written))
        guard !bytes.isEmpty else { return }
        BIO_read(written, &bytes, CInt(bytes.count))
        isMangled = flight == mangled
        if isMangled { bytes = mangle(bytes) }
        flight += 1
        // The server may have closed.
        try? socket.send(bytes)
        // It may wait for bytes that never come.
        if isMangled { socket.finish() }
    }

    /// Returns false at the end.
    private func receive() throws -> Bool {
        let bytes = try socket.receiveOnce()
        return !bytes.isEmpty && BIO_write(received, bytes, CInt(bytes.count)) == bytes.count
    }
}
