/// A connection that leaves a ``HitThread`` for the general server, with the work under way on it.
package struct Handover: Sendable {
    /// Bytes of a response that the socket has not taken yet.
    package enum Unsent: Sendable {
        case head([UInt8])
        /// The body from an offset on. It is shared with the cache, not copied.
        case body(PreparedHit, from: Int)
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
