import NIOCore
import NIOHPACK
import NIOHTTP2

/// First handler of every HTTP/2 stream. It resets the stream if its client neither sends the rest
/// of its request nor reads its response. Belongs to one event loop.
final class HTTP2Stream: ChannelDuplexHandler {
    /// The connection of streams. Belongs to one event loop.
    protocol Host: AnyObject {
        var loop: ServingLoop { get }
        /// Bytes that all streams of the connection have sent.
        var sentByStreams: Int { get }
        /// Bytes that the streams can send before each has had its turn.
        var bytesOfRound: Int { get }
        func noteSent(_ count: Int)
        func opened(_ stream: HTTP2Stream)
        func closed(_ stream: HTTP2Stream)
    }

    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let connection: any Host
    private var context: ChannelHandlerContext?
    private var isRequestWhole = false
    private var pace: BodyPace
    /// Whether the server waits for bytes of the request.
    private var isAwaiting = false
    /// Pieces of the response that are written and not sent.
    private var pieces = 0
    /// When the last piece was sent, or the first was written.
    private var sent: NIODeadline
    /// What all streams had sent then.
    private var sentByAll = 0

    init(_ connection: any Host) {
        self.connection = connection
        sent = connection.loop.time
        pace = BodyPace(at: sent, isInvited: true)
    }

    /// Whether its client sends the rest of the request too slowly.
    var isDripping: Bool {
        let limits = connection.loop.limits
        return !isRequestWhole && pieces == 0 && pace.isSlow(limits, after: limits.dripGrace)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection.opened(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        connection.closed(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.closed(self)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isAwaiting = false
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            let expects = frame.headers.first(name: "expect") != nil
            if !isRequestWhole { pace = BodyPace(at: connection.loop.time, isInvited: !expects) }
            isRequestWhole = isRequestWhole || frame.endStream
        case .data(let frame):
            pace.add(frame.data.readableBytes, at: connection.loop.time)
            isRequestWhole = isRequestWhole || frame.endStream
        default: break
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        isAwaiting = true
        context.read()
    }

    /// The codec would take the connection's end for the stream's and drop unsent bytes.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { return }
        context.fireUserInboundEventTriggered(event)
    }

    /// Divides the response into pieces, so that progress is visible.
    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        guard case .data(var frame) = unwrapOutboundIn(data),
            case .byteBuffer(var bytes) = frame.data
        else {
            if case .headers(let frame) = unwrapOutboundIn(data), frame.isInterim {
                pace.invite(at: connection.loop.time)
            }
            return context.write(data, promise: promise)
        }
        if pieces == 0 { noteProgress() }
        let isEnd = frame.endStream
        frame.endStream = false
        while bytes.readableBytes > SendProgress.leastProgress,
            let piece = bytes.readSlice(length: SendProgress.leastProgress)
        {
            frame.data = .byteBuffer(piece)
            write(frame, nil, context)
        }
        frame.data = .byteBuffer(bytes)
        frame.endStream = isEnd
        write(frame, promise, context)
    }

    private func write(
        _ frame: HTTP2Frame.FramePayload.Data, _ promise: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext
    ) {
        pieces += 1
        let count = frame.data.readableBytes
        let gone = context.eventLoop.makePromise(of: Void.self)
        gone.futureResult.assumeIsolated().whenComplete { [self] result in
            pieces -= 1
            if case .success = result { connection.noteSent(count) }
            noteProgress()
            if frame.endStream { dropRest() }
        }
        gone.futureResult.cascade(to: promise)
        context.write(wrapOutboundOut(.data(frame)), promise: gone)
    }

    private func noteProgress() {
        (sent, sentByAll) = (connection.loop.time, connection.sentByStreams)
    }

    /// Resets the stream of an answered request whose body is incomplete (RFC 9113, section 8.1).
    private func dropRest() {
        guard !isRequestWhole, let context else { return }
        context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: nil)
    }

    /// Checks at every tick whether the client takes too long. While the connection is full, all
    /// streams wait for each other, and the connection checks its client, unless another stream was
    /// served out of turn. Then the client gives this stream no window.
    func check(isLineFull: Bool) {
        let (now, limits) = (connection.loop.time, connection.loop.limits)
        let isPassed = connection.sentByStreams - sentByAll > connection.bytesOfRound
        if isLineFull && !isPassed { sent = now }
        let isStuck = pieces > 0 && now - sent > limits.send
        pace.advance(to: now, isAwaited: isAwaiting && !isRequestWhole)
        let isCutOff = !isRequestWhole && pace.isTooSlow(limits)
        guard isStuck || isCutOff else { return }
        connection.loop.recordTimeOut()
        // Sends RST_STREAM, which drops unsent bytes.
        context?.close(promise: nil)
    }

    /// Adds an ``HTTP2Stream`` before the codec, because the HTTP server package can't.
    final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        private let connection: NIOLoopBound<any Host>

        init(_ connection: NIOLoopBound<any Host>) { self.connection = connection }

        func handlerAdded(context: ChannelHandlerContext) {
            do {
                try context.pipeline.syncOperations.addHandler(
                    HTTP2Stream(connection.value), position: .first)
            } catch {
                // A stream without a watch must not run.
                context.close(promise: nil)
            }
        }
    }
}

extension HTTP2Frame.FramePayload.Headers {
    /// Whether it is an interim response, such as 100.
    fileprivate var isInterim: Bool { headers.first(name: ":status")?.hasPrefix("1") ?? false }
}
