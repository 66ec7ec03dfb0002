/// Frames to send. All connections of a thread share one, because it is empty between two events.
final class HTTP2Output {
    /// Bytes of a record, which are encrypted together.
    static let record = TLSContext.recordSize
    /// Bytes of the records that are sent in a row. The kernel makes packets of them all, and wakes the
    /// client less often.
    static let most = 4 * record
    /// Bytes of the header of a frame (RFC 9113, section 4.1).
    static let headerSize = 9
    /// A frame that doesn't carry a body has at most as many bytes, and is not split.
    private static let maxFrame = headerSize + 16 << 10

    private let place = UnsafeMutableRawBufferPointer.allocate(
        byteCount: HTTP2Output.most + HTTP2Output.maxFrame, alignment: 64)
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

    /// Removes the last bytes.
    func removeLast(_ count: Int) { self.count -= count }
}
