/// A connection that the general server gives back to a ``HitThread``, between two requests.
package struct ReturnedConnection: Sendable {
    /// Most bytes that come back with a connection, which is one read of the loop.
    package static let maxBytes = 65_536

    /// Owned by the thread from now on.
    package var socket: CInt
    /// Bytes that were read and not answered, at most ``maxBytes``.
    package var inbound: [UInt8]

    package init(socket: CInt, inbound: [UInt8]) {
        self.socket = socket
        self.inbound = inbound
    }
}
