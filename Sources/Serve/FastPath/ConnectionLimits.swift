import NIOCore

/// What a client may cost that is slow, idle or asks for too much.
struct ConnectionLimits: Sendable {
    var keepAlive: TimeAmount
    var head: TimeAmount
    var send: TimeAmount
    var maxHeadBytes: Int
    var maxTargetBytes: Int

    init(_ configuration: ServerConfiguration) {
        keepAlive = TimeAmount(configuration.keepAliveTimeout)
        head = TimeAmount(configuration.headerTimeout)
        send = TimeAmount(configuration.sendTimeout)
        maxHeadBytes = configuration.maxHeaderBytes
        maxTargetBytes = configuration.maxTargetBytes
    }

    /// How often connections are looked at: an eighth of the shortest bound, so that none is
    /// exceeded by much.
    var tick: TimeAmount {
        let shortest = min(keepAlive, head, send).nanoseconds / 8
        return .nanoseconds(
            min(max(shortest, 5_000_000), 1_000_000_000))
    }
}
