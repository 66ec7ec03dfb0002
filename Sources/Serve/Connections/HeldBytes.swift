import HitServer
import NIOCore

/// Bytes of a connection that were read and not dealt with.
struct HeldBytes {
    private var bytes = ByteBuffer()
    /// Bytes at the start that don't contain the end of a head.
    private var scanned = 0

    var count: Int { bytes.readableBytes }
    var isEmpty: Bool { count == 0 }
    var view: ByteBufferView { bytes.readableBytesView }

    /// Whether the bytes can be the start of a request.
    var mayBeHTTP: Bool { withBytes(RequestScan.mayBegin) }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeReadableBytes(body)
    }

    /// Returns a copy of the first bytes, at most `count`.
    func first(_ count: Int) -> [UInt8] { Array(view.prefix(count)) }

    mutating func append(_ more: ByteBuffer) {
        if isEmpty {
            bytes = more
        } else {
            bytes.writeImmutableBuffer(more)
        }
    }

    /// Classifies the request at the start. The head of a client that sends byte by byte is scanned
    /// once a line, not once a byte.
    mutating func scan() -> RequestScan {
        let found = withBytes { bytes in
            scanned == 0 || bytes[min(scanned, bytes.count)...].contains(UInt8(ascii: "\n"))
                ? RequestScan(bytes) : .incomplete
        }
        scanned = found == .incomplete ? count : 0
        return found
    }

    /// Removes the first bytes and returns them; nil if there are fewer.
    mutating func take(_ count: Int) -> ByteBuffer? { bytes.readSlice(length: count) }

    /// Removes the first bytes, of which there are as many.
    mutating func drop(_ count: Int) { bytes.moveReaderIndex(forwardBy: count) }

    /// Removes all bytes and gives up their memory.
    mutating func clear() { bytes = ByteBuffer() }
}
