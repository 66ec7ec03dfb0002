import NIOCore

/// A connection that leaves a ``HitThread`` for an event loop, with what is under way on it.
struct Handover: Sendable {
    /// Owned by who has the handover.
    var socket: CInt
    /// What was read and not answered.
    var inbound: [UInt8] = []
    /// What was answered and not sent.
    var unsent: [ByteBuffer] = []
    /// Whether the connection ends with what is unsent.
    var ends = false
    /// Whether it had an answer before.
    var hasServed = false
}
