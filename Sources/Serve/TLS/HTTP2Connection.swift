import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP2

/// One HTTP/2 connection. The HTTP stack answers its streams. Belongs to one event loop.
///
/// The HTTP server package closes an idle connection only if its client agrees. This class
/// therefore limits idle time and clients that don't read.
final class HTTP2Connection: LoopConnection, HTTP2Stream.Host {
    let loop: ServingLoop
    private let channel: any Channel
    private let transport: TLSTransport
    private var task: Task<Void, Never>?
    private var streams: [ObjectIdentifier: HTTP2Stream] = [:]
    private var sending = SendProgress()
    /// Bytes of bodies that all streams have sent since the connection began.
    private(set) var sentByStreams = 0
    private var hasServed = false
    private var isQuiescing = false
    private(set) var since: NIODeadline
    /// When the first byte of the incomplete frame or head arrived.
    private var frameBegan: NIODeadline?

    var standing: Standing {
        guard sending.bytes == 0 else { return .busy }
        if streams.isEmpty, frameBegan == nil, hasServed, !isQuiescing { return .idle }
        let began = frameBegan ?? since
        let isLate = loop.time - began > loop.limits.dripGrace
        return isLate && streams.values.allSatisfy(\.isDripping) ? .dripping : .busy
    }

    private init(_ channel: any Channel, _ transport: TLSTransport, _ loop: ServingLoop) {
        self.channel = channel
        self.transport = transport
        self.loop = loop
        since = loop.time
    }

    /// On the channel's event loop.
    static func start(_ channel: any Channel, _ transport: TLSTransport, _ loop: ServingLoop) throws
    {
        let connection = HTTP2Connection(channel, transport, loop)
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        let host = NIOLoopBound<any HTTP2Stream.Host>(connection, eventLoop: channel.eventLoop)
        let http = loop.stack.http2 { HTTP2Stream.Installer(host) }
        try channel.pipeline.syncOperations.addHandlers(
            CloseHandler(transport, waits: true),
            HTTP2FrameWatch { connection.noteFrame(isOpen: $0, isNew: $1) })
        var joined: Result<HTTP2Channel.Value, any Error>?
        // Done at once, because everything happens on this event loop.
        http.setup(channel: channel, logger: loop.stack.quiet).assumeIsolated()
            .whenComplete { joined = $0 }
        guard let value = try joined?.get() else {
            throw ChannelError.inappropriateOperationForState
        }
        // Sent in addition to the package's own settings, which can't contain it.
        let limit = HTTP2Setting(
            parameter: .maxHeaderListSize, value: loop.limits.maxHeadBytes)
        channel.writeAndFlush(
            HTTP2Frame(streamID: .rootStream, payload: .settings(.settings([limit]))),
            promise: nil)
        let onEnd = loop.beginStackWork()
        // Unstructured, because it lives as long as the connection, which the event loop ends.
        connection.task = Task { [quiet = loop.stack.quiet] in
            await http.handle(value: value, logger: quiet)
            onEnd()
        }
        loop.opened(connection)
        channel.closeFuture.whenComplete { _ in
            let connection = bound.value
            connection.task?.cancel()
            connection.loop.closed(connection)
        }
    }

    func opened(_ stream: HTTP2Stream) {
        streams[ObjectIdentifier(stream)] = stream
        hasServed = true
    }

    func closed(_ stream: HTTP2Stream) {
        guard streams.removeValue(forKey: ObjectIdentifier(stream)) != nil else { return }
        since = loop.time
    }

    func noteSent(_ count: Int) { sentByStreams += count }

    /// The most that streams send before each that may send had its turn: the codec serves them in
    /// turns, a piece each, and what it served before may still wait for the socket.
    var bytesOfRound: Int {
        (streams.count + 1) * SendProgress.leastProgress + BodyStream.watermark.high
    }

    /// Records whether a head or another frame is incomplete. `isNew` means that it is another one
    /// than before. Streams watch the bodies of requests.
    func noteFrame(isOpen: Bool, isNew: Bool) {
        if !isOpen {
            frameBegan = nil
        } else if isNew || frameBegan == nil {
            frameBegan = loop.time
        }
    }

    func check() {
        let limits = loop.limits
        if sending.isStuck(channel, written: transport.written, at: loop.time, for: limits.send) {
            loop.recordTimeOut()
            abort()
            return
        }
        if let frameBegan, loop.time - frameBegan > limits.head {
            // A connection that got GOAWAY is counted already.
            if !isQuiescing { loop.recordTimeOut() }
            abort()
            return
        }
        for stream in Array(streams.values) { stream.check(isLineFull: sending.bytes > 0) }
        guard streams.isEmpty else { return }
        let waited = loop.time - since
        if isQuiescing {
            // The client has not acknowledged GOAWAY.
            if waited > limits.head { abort() }
        } else if waited > (hasServed ? limits.keepAlive : limits.head) {
            loop.recordTimeOut()
            quiesce()
        }
    }

    /// Sends GOAWAY. Running streams are answered, and no further ones begin.
    func quiesce() {
        guard !isQuiescing else { return }
        isQuiescing = true
        since = loop.time
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    func abort() {
        task?.cancel()
        transport.cut()
    }
}
