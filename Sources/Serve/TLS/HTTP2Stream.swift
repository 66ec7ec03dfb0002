import NIOCore
import NIOHPACK
import NIOHTTP2

/// First on every stream of an HTTP/2 connection: resets it when its client neither sends the rest of
/// its request nor takes its answer. Belongs to one event loop.
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
    /// Of the answer, written and not sent.
    private var pieces = 0
    /// When the last bytes left, or the first were to leave.
    private var sent: NIODeadline
    /// What all streams had sent then.
    private var sentByAll = 0

    init(_ connection: any Host) {
        self.connection = connection
        sent = connection.loop.time
        pace = BodyPace(at: sent, isInvited: true)
    }

    /// Whether its client owes the rest of the request, and sends next to nothing.
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

    /// The codec would take the connection's end for the stream's, and cut off what waits to be sent.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { return }
        context.fireUserInboundEventTriggered(event)
    }

    /// Divides what is sent, so that its progress is seen.
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

    /// What an answered request still has to say is not wanted (RFC 9113, section 8.1).
    private func dropRest() {
        guard !isRequestWhole, let context else { return }
        context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: nil)
    }

    /// Looks whether the client takes too long, at every tick of the loop. While the line is full
    /// all streams wait for each other: that is the connection's affair, as long as no other stream
    /// was served out of turn. Then it is this one that its client gives no window.
    func check(isLineFull: Bool) {
        let (now, limits) = (connection.loop.time, connection.loop.limits)
        let isPassed = connection.sentByStreams - sentByAll > connection.bytesOfRound
        if isLineFull && !isPassed { sent = now }
        let isStuck = pieces > 0 && now - sent > limits.send
        pace.advance(to: now, isAwaited: isAwaiting && !isRequestWhole)
        let isCutOff = !isRequestWhole && pace.isTooSlow(limits)
        guard isStuck || isCutOff else { return }
        connection.loop.recordTimeOut()
        // With RST_STREAM, which drops what waits to be sent.
        context?.close(promise: nil)
    }

    /// Puts a stream's watch before the codec, where the HTTP server package has no door of its own.
    final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        private let connection: NIOLoopBound<any Host>

        init(_ connection: NIOLoopBound<any Host>) { self.connection = connection }

        func handlerAdded(context: ChannelHandlerContext) {
            do {
                try context.pipeline.syncOperations.addHandler(
                    HTTP2Stream(connection.value), position: .first)
            } catch {
                // No stream goes unwatched.
                context.close(promise: nil)
            }
        }
    }
}

extension HTTP2Frame.FramePayload.Headers {
    /// Whether it is an answer before the answer, such as 100.
    fileprivate var isInterim: Bool { headers.first(name: ":status")?.hasPrefix("1") ?? false }
}
