import NIOCore

/// What a client may cost that is slow, idle or asks for too much.
struct ConnectionLimits: Sendable {
    var keepAlive: TimeAmount
    var head: TimeAmount
    var send: TimeAmount
    var body: TimeAmount
    /// Bytes a second.
    var minBodyRate: Int
    var linger: TimeAmount
    var maxLingerBytes: Int
    var maxHeadBytes: Int
    var maxTargetBytes: Int

    init(_ configuration: ServerConfiguration) {
        keepAlive = TimeAmount(configuration.keepAliveTimeout)
        head = TimeAmount(configuration.headerTimeout)
        send = TimeAmount(configuration.sendTimeout)
        body = TimeAmount(configuration.bodyTimeout)
        minBodyRate = configuration.minBodyRate
        linger = TimeAmount(configuration.lingerTimeout)
        maxLingerBytes = configuration.maxLingerBytes
        maxHeadBytes = configuration.maxHeaderBytes
        maxTargetBytes = configuration.maxTargetBytes
    }

    /// How long a request, or a handshake, may be on its way before it counts as dripping where room
    /// is needed: most arrive in a packet, or a few, but a busy machine takes its time to read them.
    var dripGrace: TimeAmount { min(.nanoseconds(head.nanoseconds / 4), .seconds(5)) }

    /// How often connections are looked at: an eighth of the shortest bound, so that none is
    /// exceeded by much.
    var tick: TimeAmount {
        let shortest = min(keepAlive, head, send, body, linger).nanoseconds / 8
        return .nanoseconds(
            min(max(shortest, 5_000_000), 1_000_000_000))
    }
}
