import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS

/// Before everything else on an encrypted connection: the handshake, and which HTTP is spoken.
struct TLSFront: Sendable {
    let identity: TLSIdentity
    /// How long a client may take for the handshake.
    let patience: TimeAmount

    /// Puts the handshake into an empty pipeline; what follows is put behind it when both agreed. On
    /// the channel's event loop.
    func begin(_ channel: any Channel, _ loop: NIOLoopBound<ServingLoop>) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(NIOSSLServerHandler(context: identity.context))
        let tooLate = channel.eventLoop.scheduleTask(in: patience) { [loop] in
            loop.value.counters.timedOut.add()
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in tooLate.cancel() }
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { result, channel in
                tooLate.cancel()
                return channel.eventLoop.makeCompletedFuture {
                    if result == .negotiated("h2") {
                        try HTTP2Connection.start(channel, loop.value)
                    } else {
                        try channel.pipeline.syncOperations.addHandler(FastPathHandler(loop.value))
                    }
                }
            })
    }
}

/// One HTTP/2 connection. Its streams are answered by the slow path; belongs to one event loop.
final class HTTP2Connection: LoopConnection {
    private let channel: any Channel
    private var task: Task<Void, Never>?
    let since: NIODeadline
    /// The HTTP server package closes those that idle.
    var isIdle: Bool { false }

    private init(_ channel: any Channel, since: NIODeadline) {
        self.channel = channel
        self.since = since
    }

    static func start(_ channel: any Channel, _ loop: ServingLoop) throws {
        let http = loop.slowPath.http2(idleTimeout: loop.limits.keepAlive)
        var joined: Result<HTTP2Channel.Value, any Error>?
        // Done at once, because everything happens on this event loop.
        http.setup(channel: channel, logger: loop.slowPath.quiet).assumeIsolated()
            .whenComplete { joined = $0 }
        guard let value = try joined?.get() else {
            throw ChannelError.inappropriateOperationForState
        }
        let connection = HTTP2Connection(channel, since: loop.time)
        // Unstructured, because it lives as long as the connection, which the event loop ends.
        connection.task = Task { [quiet = loop.slowPath.quiet] in
            await http.handle(value: value, logger: quiet)
        }
        loop.opened(connection)
        let bound = NIOLoopBound((connection, loop), eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in
            let (connection, loop) = bound.value
            connection.task?.cancel()
            loop.closed(connection)
        }
    }

    func check() {}

    /// GOAWAY: streams under way are answered, no further ones begin.
    func quiesce() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    func abort() {
        task?.cancel()
        channel.close(promise: nil)
    }
}
