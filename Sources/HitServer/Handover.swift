/// A connection that leaves a ``HitThread`` for the general server, with the work under way on it.
package struct Handover: Sendable {
    /// Bytes of a response that the socket has not taken yet.
    package enum Unsent: Sendable {
        case head([UInt8])
        /// A part of the body. It is shared with the cache, not copied.
        case body(PreparedHit, Range<Int>)
    }

    /// Owned by the receiver of the handover.
    package var socket: CInt
    /// Bytes that were read and not answered.
    package var inbound: [UInt8] = []
    /// Responses that were made and not sent, in order.
    package var unsent: [Unsent] = []
    /// Whether the connection closes after ``unsent``.
    package var ends = false
    /// Whether it has had a response before.
    package var hasServed = false

    package var hasUnsent: Bool { !unsent.isEmpty }

    package init(
        socket: CInt, inbound: [UInt8] = [], unsent: [Unsent] = [], ends: Bool = false,
        hasServed: Bool = false
    ) {
        self.socket = socket
        self.inbound = inbound
        self.unsent = unsent
        self.ends = ends
        self.hasServed = hasServed
    }
}

extension Handover.Unsent {
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .head(let bytes): bytes.withUnsafeBytes(body)
        case .body(let hit, let range): body(UnsafeRawBufferPointer(rebasing: hit.body[range]))
        }
    }

    /// Returns what follows the first `count` bytes; nil if nothing does.
    func dropFirst(_ count: Int) -> Self? {
        switch self {
        case .head(let bytes):
            return count < bytes.count ? .head(Array(bytes.dropFirst(count))) : nil
        case .body(let hit, let range):
            let start = range.lowerBound + count
            return start < range.upperBound ? .body(hit, start..<range.upperBound) : nil
        }
    }
}
