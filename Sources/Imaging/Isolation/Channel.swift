import CSandbox

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One end of a pair of sockets between two processes. Owns its descriptor; used by one thread at a
/// time.
struct Channel: ~Copyable {
    /// Limit of a message in bytes; no message is that long.
    static let maxMessage = 64 << 10

    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Makes a pair; the other end is for another process.
    static func pair() throws(ImagingError) -> Pair {
        var ends: (Int32, Int32) = (-1, -1)
        guard sandbox_pair(&ends.0, &ends.1) == 0 else {
            throw .misconfigured(
                reason: "a channel can't be opened: \(String(cString: strerror(errno)))")
        }
        return Pair(own: Channel(ends.0), other: Channel(ends.1))
    }

    struct Pair: ~Copyable {
        let own: Channel
        let other: Channel
    }

    /// Sends a message and a copy of a descriptor; returns false if the other end is closed.
    func send(_ message: [UInt8], descriptor other: Int32) -> Bool {
        message.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return sandbox_send(descriptor, start, bytes.count, other) == bytes.count
        }
    }

    /// Sends a message with the only system call that a confined process has for it; returns false
    /// if the other end is closed.
    func send(_ message: [UInt8]) -> Bool {
        message.withUnsafeBytes { bytes in
            var sent = write(descriptor, bytes.baseAddress, bytes.count)
            while sent < 0, errno == EINTR {
                sent = write(descriptor, bytes.baseAddress, bytes.count)
            }
            return sent == bytes.count
        }
    }

    /// Waits for a message and closes a descriptor that comes with it; nil if the other end is
    /// closed or the message is malformed.
    func receive() -> [UInt8]? {
        guard let received = receiveWithDescriptor() else { return nil }
        if let other = received.descriptor { close(other) }
        return received.message
    }

    /// Waits for a message and the descriptor that comes with it, which the caller must close.
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

    /// Waits for a message for that time; returns whether one came or the other end was closed.
    func waits(milliseconds: Int) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, Int32(clamping: max(0, milliseconds))) > 0
    }
}
