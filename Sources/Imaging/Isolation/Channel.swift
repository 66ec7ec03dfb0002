import CSandbox

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One end of a pair of sockets between two processes. Owns its descriptor; one thread at a time.
struct Channel: ~Copyable {
    /// Longer than any message.
    static let maxMessage = 64 << 10

    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Makes a pair; the second is to be given away, and closed by the caller.
    static func pair() throws(ImagingError) -> Pair {
        var ends: (Int32, Int32) = (-1, -1)
        guard sandbox_pair(&ends.0, &ends.1) == 0 else {
            throw .misconfigured(reason: "no channel: \(String(cString: strerror(errno)))")
        }
        return Pair(own: Channel(ends.0), other: Channel(ends.1))
    }

    struct Pair: ~Copyable {
        let own: Channel
        let other: Channel
    }

    /// Sends a message and a descriptor, which stays the caller's; false if the other end is gone.
    func send(_ message: [UInt8], descriptor other: Int32) -> Bool {
        message.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return sandbox_send(descriptor, start, bytes.count, other) == bytes.count
        }
    }

    /// Sends a message with the one call that a confined process has for it; false if the other end
    /// is gone.
    func send(_ message: [UInt8]) -> Bool {
        message.withUnsafeBytes { bytes in
            var sent = write(descriptor, bytes.baseAddress, bytes.count)
            while sent < 0, errno == EINTR {
                sent = write(descriptor, bytes.baseAddress, bytes.count)
            }
            return sent == bytes.count
        }
    }

    /// Waits for a message; nil if the other end is gone or sends what is none. A descriptor that comes
    /// along is closed.
    func receive() -> [UInt8]? {
        guard let received = receiveWithDescriptor() else { return nil }
        if let other = received.descriptor { close(other) }
        return received.message
    }

    /// The same, with the descriptor that came along, which is the caller's to close.
    func receiveWithDescriptor() -> (message: [UInt8], descriptor: Int32?)? {
        var other: Int32 = -1
        let message = [UInt8](unsafeUninitializedCapacity: Self.maxMessage) { buffer, count in
            count = 0
            guard let start = buffer.baseAddress else { return }
            count = max(0, sandbox_receive(descriptor, start, buffer.count, &other))
        }
        guard !message.isEmpty else {
            if other >= 0 { close(other) }
            return nil
        }
        return (message, other < 0 ? nil : other)
    }

    /// Whether something came within that time; also if the other end is gone.
    func waits(milliseconds: Int) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, Int32(clamping: max(0, milliseconds))) > 0
    }
}
