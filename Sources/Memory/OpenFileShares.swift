#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How the process's limit of open files is divided. Pure.
///
/// The shares don't overlap. What the process itself needs at its largest comes first, so that no
/// client, origin or run can take it.
package struct OpenFileShares: Sendable, Equatable {
    /// Descriptors that no share has. The runtime ends the process if it can't open a file of `/proc`
    /// for its threads, and libraries open files that they don't announce.
    package static let spare = 64
    /// With fewer descriptors for clients the service would refuse most of them.
    package static let leastForClients = 64
    /// More files than this are seldom in use at a time.
    private static let mostKept = 4_096

    /// Connections of clients, encrypted or not: each takes one descriptor.
    package var connections: Int
    /// Files that are open because a response is sent from them.
    package var responses: Int
    /// Files that stay open for the next response.
    package var kept: Int

    /// The limit leaves too little for clients.
    package struct Excess: Error, Equatable {
        package var limit: Int
        /// The limit that would be enough.
        package var needed: Int
    }

    /// Divides the limit. Files of responses get what connections leave, at least a quarter.
    ///
    /// - Parameters:
    ///   - own: what the process needs besides connections and responses, at its largest.
    ///   - connections: wanted; 0 for a process that accepts none.
    package init(limit: Int, own: Int, connections wanted: Int) throws(Excess) {
        let needed = own.addingClamped(Self.spare + Self.leastForClients)
        guard needed <= limit else { throw Excess(limit: limit, needed: needed) }
        let left = limit - Self.spare - own
        kept = min(Self.mostKept, left / 8)
        connections = min(wanted, left - left / 4 - kept)
        responses = left - kept - connections
    }
}
