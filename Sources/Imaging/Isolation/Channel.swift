import CSandbox

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One end of a pair of sockets between this process and a child. Owns its descriptor; one thread at
/// a time.
struct Channel: ~Copyable {
    /// Longer than any message.
    static let maxMessage = 64 << 10

    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// False where the other end is gone.
    func send(_ message: [UInt8], _ memory: borrowing SharedMemory) -> Bool {
        send(message, descriptor: memory.descriptor)
    }

    func send(_ message: [UInt8]) -> Bool { send(message, descriptor: -1) }

    private func send(_ message: [UInt8], descriptor memory: Int32) -> Bool {
        message.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return sandbox_send(descriptor, start, bytes.count, memory) == bytes.count
        }
    }

    struct Received: ~Copyable {
        let message: [UInt8]
        /// Only where the sender can't change it any more.
        let memory: SharedMemory?
    }

    /// Waits for a message; nil where the other end is gone or sends what is none.
    func receive() -> Received? {
        var memory: Int32 = -1
        let message = [UInt8](unsafeUninitializedCapacity: Self.maxMessage) { buffer, count in
            count = 0
            guard let start = buffer.baseAddress else { return }
            count = max(0, sandbox_receive(descriptor, start, buffer.count, &memory))
        }
        let shared = memory < 0 ? nil : SharedMemory(received: memory)
        guard !message.isEmpty else { return nil }
        return Received(message: message, memory: shared)
    }

    /// Whether something came within that time; also where the other end is gone.
    func waits(milliseconds: Int) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, Int32(clamping: max(0, milliseconds))) > 0
    }
}
