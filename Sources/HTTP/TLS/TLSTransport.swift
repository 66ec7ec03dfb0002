import CCrypto
import CLinux
import Glibc

/// A TLS connection on a socket. Belongs to the thread of its context.
///
/// `receive`, `send` and `sendFile` behave like the system calls of a socket: they never block, and
/// return -1 with `errno`. Until the handshake is done they continue it, and fail with EAGAIN. The
/// thread calls them after each event of the socket, for reading and for writing.
final class TLSTransport {
    /// Records without data that a client may send in a row. An honest one sends one in a while.
    private static let maxEmptyRecords = 32

    private let context: TLSContext
    private let handle: OpaquePointer
    private let socket: UnsafeMutablePointer<vitrine_tls_socket>
    /// Whether the handshake is done.
    private(set) var isEstablished = false
    /// Whether both ends have agreed on HTTP/2.
    private(set) var isHTTP2 = false
    /// The name that the client asked for, if the certificate is for others. It is answered all the
    /// same.
    private(set) var otherName: String?
    /// Whether nothing more is received. The next call says why.
    private(set) var isAtEnd = false
    /// Why it failed.
    private(set) var fault: TLSFault?
    /// Bytes of a record that is encrypted and not sent: the next call has to begin with them.
    private var pending = 0
    /// Whether the socket was full at the last record. Records that it doesn't take have to be kept, so those of a
    /// client that reads slowly are sent one at a time.
    private var wasFull = false
    private var hasFinished = false
    private var emptyRecords = 0

    /// Begins a connection on a socket, which stays the caller's. Returns nil without memory.
    init?(_ context: TLSContext, socket file: CInt) {
        var place: UnsafeMutablePointer<vitrine_tls_socket>?
        let handle = vitrine_tls_open(
            context.handle, TLSContext.method, file, UInt64(TLSContext.maxHandshake),
            context.records, &place)
        guard let handle, let place else { return nil }
        SSL_set_accept_state(handle)
        self.context = context
        self.handle = handle
        socket = place
    }

    deinit { SSL_free(handle) }

    // MARK: Handshake

    /// Continues the handshake. Returns whether it is done; -1 is in `errno` otherwise.
    private func isReady() -> Bool {
        if fault != nil { return failed() }
        if isEstablished { return true }
        let result = perform { SSL_do_handshake(handle) }
        guard result > 0 else { return failed(result) }
        isEstablished = true
        socket.pointee.limit = .max
        otherName = vitrine_tls_other_name(handle).map { String(cString: $0) }
        var (name, length) = (UnsafePointer<UInt8>?.none, UInt32(0))
        SSL_get0_alpn_selected(handle, &name, &length)
        isHTTP2 = UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
        return true
    }

    /// Calls OpenSSL with an empty queue of errors: it takes one that an earlier call left for its
    /// own.
    private func perform(_ call: () -> CInt) -> CInt {
        ERR_clear_error()
        (socket.pointee.isDrained, socket.pointee.error) = (false, 0)
        return call()
    }

    /// Sets `errno` after a call that failed, and returns false.
    private func failed(_ result: CInt) -> Bool {
        switch SSL_get_error(handle, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: errno = EAGAIN
        default:
            fault = TLSFault(vitrine_tls_take_error(), socket: socket.pointee.error)
            return failed()
        }
        return false
    }

    private func failed() -> Bool {
        if case .socket(let code)? = fault { errno = code } else { errno = EPROTO }
        return false
    }

    // MARK: Bytes

    /// Receives bytes as far as they have arrived. Returns 0 at the end of the stream. Fewer bytes
    /// than `place` has room for mean that no more come before the next event, or that ``isAtEnd``.
    func receive(_ place: UnsafeMutableRawBufferPointer) -> Int {
        guard isReady() else { return -1 }
        var taken = 0
        while taken < place.count, !isAtEnd {
            var count = 0
            let isEmpty = SSL_has_pending(handle) == 0
            let before = socket.pointee.received
            let result = perform {
                SSL_read_ex(
                    handle, place.baseAddress.map { $0 + taken }, place.count - taken, &count)
            }
            if result > 0 {
                taken += count
                emptyRecords = 0
                // OpenSSL had room for a record at least. So the socket had no more, and asking it again would
                // cost a system call.
                let received = Int(socket.pointee.received - before)
                let isAll = isEmpty && received > 0 && received < TLSContext.recordSize
                if isAll, SSL_has_pending(handle) == 0 { break }
                continue
            }
            switch SSL_get_error(handle, result) {
            case SSL_ERROR_ZERO_RETURN: isAtEnd = true
            // A record without data. More may have arrived.
            case SSL_ERROR_WANT_READ where !socket.pointee.isDrained:
                emptyRecords += 1
                guard emptyRecords > Self.maxEmptyRecords else { continue }
                (fault, isAtEnd) = (.floods, true)
                _ = failed()
                return taken > 0 ? taken : -1
            default:
                _ = failed(result)
                isAtEnd = fault != nil
                return taken > 0 ? taken : -1
            }
        }
        return taken
    }

    /// Encrypts and sends what fits. Returns the bytes taken. After EAGAIN the next call has to
    /// begin with the same bytes.
    ///
    /// - Parameter more: whether more bytes, or the end of the connection, follow at once.
    func send(_ parts: UnsafePointer<iovec>, _ count: Int, more: Bool) -> Int {
        guard isReady() else { return -1 }
        var queue = PartQueue(parts, count)
        var taken = 0
        while queue.left > 0 {
            let record = queue.next(TLSContext.recordSize, context.room)
            let isLast = queue.left == record.count
            let sent = write(record, more: more || !isLast, gathers: !isLast && !wasFull)
            guard sent > 0 else { return taken > 0 ? taken : -1 }
            taken += sent
            queue.drop(sent)
        }
        return taken
    }

    /// Encrypts and sends bytes of a file as far as they fit. Returns 0 at the end of the file.
    func sendFile(_ source: CInt, at offset: Int, _ count: Int) -> Int {
        guard isReady() else { return -1 }
        var taken = 0
        while taken < count {
            let wanted = min(context.room.count, count - taken)
            let read = pread(source, context.room.baseAddress, wanted, off_t(offset + taken))
            guard read > 0 else { return taken > 0 ? taken : read }
            // The file is shorter than it was, and a record with its bytes has begun.
            guard read >= pending else {
                errno = EIO
                return -1
            }
            var sent = 0
            while sent < read {
                let end = min(read, sent + TLSContext.recordSize)
                let record = UnsafeRawBufferPointer(rebasing: context.room[sent..<end])
                let isLast = end == read
                let step = write(
                    record, more: taken + end < count, gathers: !isLast && !wasFull)
                guard step > 0 else { return taken + sent > 0 ? taken + sent : -1 }
                sent += step
            }
            taken += sent
        }
        return taken
    }

    /// Sends one record. Returns the bytes taken; 0 with `errno` if it doesn't fit.
    ///
    /// - Parameter gathers: whether another record follows in any case, with which this one is sent.
    private func write(
        _ bytes: UnsafeRawBufferPointer, more: Bool, gathers: Bool = false
    ) -> Int {
        (socket.pointee.more, socket.pointee.gathers) = (more, gathers)
        var count = 0
        let result = perform { SSL_write_ex(handle, bytes.baseAddress, bytes.count, &count) }
        socket.pointee.gathers = false
        guard result > 0 else {
            _ = failed(result)
            wasFull = true
            // What is still gathered is lost, and must not go to another connection.
            if context.records.pointee.count > 0 {
                context.records.pointee.count = 0
                fault = fault ?? .socket(EPROTO)
                _ = failed()
            }
            pending = fault == nil ? max(pending, bytes.count) : 0
            return 0
        }
        if !gathers { wasFull = false }
        pending = 0
        precondition(
            gathers || context.records.pointee.count == 0, "records wait in the thread's memory")
        return count
    }

    // MARK: The end

    /// Says that nothing more is sent (close_notify), if the socket takes it. The client may still
    /// send.
    func finish() {
        guard isEstablished, !hasFinished, fault == nil, pending == 0 else { return }
        hasFinished = true
        socket.pointee.more = false
        _ = perform { SSL_shutdown(handle) }
        ERR_clear_error()
    }
}

/// Parts of a response that become records.
private struct PartQueue {
    private let parts: UnsafePointer<iovec>
    private var index = 0
    private var offset = 0
    private(set) var left = 0

    init(_ parts: UnsafePointer<iovec>, _ count: Int) {
        self.parts = parts
        for index in 0..<count { left += parts[index].iov_len }
    }

    /// Returns the next bytes, at most `limit`: of one part, or copied to `room`, so that a head
    /// and its body are one record.
    func next(_ limit: Int, _ room: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
        var (index, offset, copied) = (index, offset, 0)
        let wanted = min(limit, left)
        while true {
            let part = UnsafeRawBufferPointer(
                start: parts[index].iov_base, count: parts[index].iov_len)
            let rest = UnsafeRawBufferPointer(rebasing: part[offset...])
            if copied == 0, rest.count >= wanted {
                return UnsafeRawBufferPointer(rebasing: rest[..<wanted])
            }
            let taken = UnsafeRawBufferPointer(rebasing: rest.prefix(wanted - copied))
            UnsafeMutableRawBufferPointer(rebasing: room[copied...]).copyMemory(from: taken)
            copied += taken.count
            if copied == wanted { return UnsafeRawBufferPointer(rebasing: room[..<wanted]) }
            (index, offset) = (index + 1, 0)
        }
    }

    mutating func drop(_ count: Int) {
        var count = count
        left -= count
        while count > 0 {
            let rest = parts[index].iov_len - offset
            guard count >= rest else {
                offset += count
                return
            }
            count -= rest
            (index, offset) = (index + 1, 0)
        }
    }
}
