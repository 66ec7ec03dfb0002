/// The connections of a loop that are being sent a file. Nothing is read from them meanwhile. Belongs to
/// the loop's thread.
struct FileSends {
    /// Bytes of requests behind files that are kept. Connections with more are closed after their
    /// response.
    private static let maxInbound = 8 << 20

    private var sends: [CInt: FileSend] = [:]
    private var inboundBytes = 0

    var isEmpty: Bool { sends.isEmpty }

    subscript(file: CInt) -> FileSend? { sends[file] }

    func contains(_ file: CInt) -> Bool { sends[file] != nil }

    /// - Parameter inbound: requests that follow.
    mutating func add(_ file: CInt, _ send: FileSend, _ inbound: ArraySlice<UInt8>) {
        if inbound.count <= Self.maxInbound - inboundBytes {
            send.inbound = Array(inbound)
            inboundBytes += inbound.count
        } else {
            send.closes = true
        }
        sends[file] = send
    }

    /// Returns the send whose read with that number has ended, if it still waits for it.
    func resume(_ file: CInt, _ number: Int) -> FileSend? {
        guard let send = sends[file], send.read == number else { return nil }
        send.read = nil
        return send
    }

    mutating func remove(_ file: CInt) {
        guard let send = sends.removeValue(forKey: file) else { return }
        inboundBytes -= send.inbound.count
    }

    /// Returns the connections whose clients don't read.
    func stuck(at now: Int, for limit: Int) -> [CInt] {
        sends.filter { $0.value.isStuck($0.key, at: now, for: limit) }.map(\.key)
    }
}
