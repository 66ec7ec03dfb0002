import HitServer
import NIOCore

/// Limits for clients that are slow, idle or ask for too much.
struct ConnectionLimits: Sendable {
    var keepAlive: TimeAmount
    var head: TimeAmount
    var send: TimeAmount
    var body: TimeAmount
    /// Bytes per second.
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

    /// How long a request or a handshake may take before its connection can be closed for others.
    /// Most arrive in a few packets, but a busy machine takes its time to read them.
    var dripGrace: TimeAmount { min(.nanoseconds(head.nanoseconds / 4), .seconds(5)) }

    /// Time between two checks of all connections: an eighth of the shortest limit, so that limits
    /// are exceeded by little.
    var tick: TimeAmount {
        let shortest = min(keepAlive, head, send, body, linger).nanoseconds / 8
        return .nanoseconds(
            min(max(shortest, 5_000_000), 1_000_000_000))
    }

    /// The same for the engine.
    var engine: ServerContext.Limits {
        func milliseconds(_ time: TimeAmount) -> Int { Int(time.nanoseconds / 1_000_000) }
        return ServerContext.Limits(
            keepAlive: milliseconds(keepAlive), head: milliseconds(head), send: milliseconds(send),
            body: milliseconds(body), minBodyRate: minBodyRate, linger: milliseconds(linger),
            maxLingerBytes: maxLingerBytes, dripGrace: milliseconds(dripGrace),
            tick: milliseconds(tick), maxHeadBytes: maxHeadBytes, maxTargetBytes: maxTargetBytes)
    }
}

extension NIODeadline {
    var milliseconds: Int { Int(uptimeNanoseconds / 1_000_000) }
}
