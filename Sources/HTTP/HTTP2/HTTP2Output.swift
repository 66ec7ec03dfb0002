/// Frames to send. All connections of a thread share one, because it is empty between two events.
final class HTTP2Output {
    /// Bytes of a record, which are encrypted together.
    static let record = TLSContext.recordSize
    /// Bytes of the records that are sent in a row. The kernel makes packets of them all, and wakes the
    /// client less often. With what encryption adds they fit into the largest buffer of packets of 1,448 bytes
    /// (65,160 bytes), and into a packet to this machine: a few bytes more would cost a packet of their own.
    static let most = 4 * record - 512
    /// Bytes of the header of a frame (RFC 9113, section 4.1).
    static let headerSize = 9
    /// Bytes of a frame without its header that every client takes (RFC 9113, section 6.5.2).
    static let maxPayload = 16 << 10

    /// A frame that doesn't carry a body is not split.
    private let place = UnsafeMutableRawBufferPointer.allocate(
        byteCount: HTTP2Output.most + HTTP2Output.headerSize + HTTP2Output.maxPayload, alignment: 64
    )
    private(set) var count = 0
    private var limit = HTTP2Output.most

    deinit { place.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: place[..<count]) }
    var isFull: Bool { count >= limit }
    /// Bytes of a body that fit with the header of their frame.
    var room: Int { max(0, limit - count - Self.headerSize) }

    /// - Parameter limit: bytes of frames that are wanted next.
    func clear(limit: Int) { (count, self.limit) = (0, limit) }

    func append(_ bytes: UnsafeRawBufferPointer) {
        append(bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// Appends `count` bytes that `write` writes.
    func append<Result>(
        _ count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Result
    ) -> Result {
        defer { self.count += count }
        return write(
            UnsafeMutableRawBufferPointer(rebasing: place[self.count..<self.count + count]))
    }

    /// Appends to the frame that was appended last, which carries no body.
    ///
    /// - Parameters:
    ///   - payload: bytes that the frame has behind its header.
    ///   - most: bytes that `write` gets room for. It returns how many it has written.
    func extendFrame(
        of payload: Int, by most: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int
    ) {
        precondition(
            payload + most <= Self.maxPayload && count >= Self.headerSize + payload,
            "a frame is longer than a client takes")
        let start = count - payload - Self.headerSize
        let added = write(UnsafeMutableRawBufferPointer(rebasing: place[count..<count + most]))
        precondition(added <= most, "a frame is longer than its room")
        count += added
        // Three bytes, the most significant one first (RFC 9113, section 4.1).
        for index in 0..<3 {
            place[start + index] = UInt8(truncatingIfNeeded: (payload + added) >> (16 - 8 * index))
        }
    }

    /// Removes the last bytes.
    func removeLast(_ count: Int) { self.count -= count }
}
