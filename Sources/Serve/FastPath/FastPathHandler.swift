import NIOCore

/// First on every connection that an event loop has: answers hits from memory itself and hands
/// everything else on to the HTTP codec, the same bytes in the same order.
///
/// What follows a request that was handed on waits here until that is answered, so answers keep the
/// order of their requests.
final class FastPathHandler: ChannelDuplexHandler, LoopConnection {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    enum Mode: Equatable {
        /// The next bytes are the head of a request.
        case open
        /// A request is with the codec; once it is answered, what is left of its body is dropped.
        case handedOn(isAnswered: Bool)
        /// The last answer is written; nothing more is answered.
        case ending
        /// That answer is sent; what still comes is dropped, so that the client can read it.
        case lingering
    }

    let loop: ServingLoop
    var mode = Mode.open
    /// What was read and not dealt with.
    var held = ByteBuffer()
    var context: ChannelHandlerContext?
    var slow: (watch: AnswerWatch, task: Task<Void, Never>)?
    /// Whether the connection ends with the answer under way.
    var endsWithAnswer = false
    /// Of the request under way.
    var body = BodyScan(.none, maxOverhead: 0)
    var pace = BodyPace(at: .distantPast, isInvited: false)
    /// Bytes dropped since the request was answered.
    var dropped = 0
    /// Whether the client sends no more.
    var isInputClosed = false
    /// Whether the server waits for bytes.
    var isAwaiting = false
    /// When the state that timeouts count from began.
    var since: NIODeadline
    var hasServed = false
    /// Answered here since the last request that was none.
    var hitsInARow = 0
    /// The channel's own.
    let socket: CInt?
    /// When the last bytes arrived.
    var received = NIODeadline.distantPast
    private var isReadWanted = false
    /// Of what is held, bytes that were found not to end a head.
    private var scanned = 0
    private var needsFlush = false
    /// What waits to be sent.
    var unsent = SendProgress()

    /// Of an encrypted connection.
    let wire: Wire?

    /// What was under way when the connection came here; `nil` once that is dealt with.
    private var handover: Handover?

    init(_ loop: ServingLoop, _ handover: Handover? = nil, wire: Wire? = nil) {
        self.loop = loop
        self.wire = wire
        self.handover = handover
        socket = handover?.socket
        hasServed = handover?.hasServed ?? false
        since = loop.time
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.opened(self)
    }

    func channelActive(context: ChannelHandlerContext) {
        takeOver(context)
        context.fireChannelActive()
    }

    private func takeOver(_ context: ChannelHandlerContext) {
        guard let handover else { return }
        self.handover = nil
        for bytes in handover.unsent {
            context.write(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
        }
        needsFlush = !handover.unsent.isEmpty
        flush(context)
        if handover.ends {
            end(context)
        } else {
            held = ByteBuffer(bytes: handover.inbound)
            resume()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        mode = .ending
        slow?.task.cancel()
        loop.closed(self)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        slow?.watch.onAnswer = {}
        loop.closed(self)
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received = .now()
        isAwaiting = false
        switch mode {
        case .ending: return
        case .lingering: return drop(bytes.readableBytes)
        case .open, .handedOn:
            if held.readableBytes == 0 {
                if mode == .open { since = loop.time }
                held = bytes
            } else {
                held.writeBuffer(&bytes)
            }
        }
        proceed(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush(context)
        if slow != nil { context.fireChannelReadComplete() }
        // The codec behind asks for nothing more.
        if mode == .lingering { context.read() }
        giveBackIfWorthwhile(context)
    }

    /// Stops reading while what was read can't be dealt with: a client that sends without reading
    /// fills its own buffers, not ours.
    func read(context: ChannelHandlerContext) {
        let isFull = held.readableBytes >= loop.limits.maxHeadBytes
        if isFull || (mode == .open && !context.channel.isWritable) {
            isReadWanted = true
        } else {
            isAwaiting = true
            context.read()
        }
    }

    /// What the codec writes once the last answer is there is of no answer.
    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        switch mode {
        case .open, .handedOn: context.write(data, promise: promise)
        case .ending, .lingering: promise?.fail(ChannelError.ioOnClosedChannel)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { resume() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { inputClosed(context) }
        if slow != nil { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if slow == nil { context.close(promise: nil) } else { context.fireErrorCaught(error) }
    }

    /// Deals with what is held as far as that is possible now.
    func proceed(_ context: ChannelHandlerContext) {
        while held.readableBytes > 0 {
            switch mode {
            case .open:
                guard context.channel.isWritable, take(context) else { return }
            case .handedOn(let isAnswered):
                guard !body.isWhole else { return }
                handOnBody(isAnswered, context)
            case .ending, .lingering:
                held = ByteBuffer()
            }
        }
        // The reading end uses a buffer again that nobody else holds.
        held = ByteBuffer()
    }

    /// One request; false where its head has not arrived whole.
    private func take(_ context: ChannelHandlerContext) -> Bool {
        let found = scan()
        scanned = found == .incomplete ? held.readableBytes : 0
        switch found {
        case .incomplete:
            if !held.withUnsafeReadableBytes(RequestScan.mayBegin) {
                refuse(.notHTTP, context)
            } else {
                refuseIfTooLarge(held.readableBytes, context)
            }
            return mode != .open
        case .plain(let request):
            guard !refuseIfTooLarge(request.framing.headLength, context) else { return true }
            if answer(request, context) {
                needsFlush = true
            } else {
                handOn(request.framing, context)
            }
        case .framed(let framing):
            guard !refuseIfTooLarge(framing.headLength, context) else { return true }
            handOn(framing, context)
        case .refused(let refusal):
            let isHTTP = held.withUnsafeReadableBytes(RequestScan.mayBegin)
            refuse(isHTTP ? refusal : .notHTTP, context)
        }
        return true
    }

    /// A client that sends byte by byte has its head looked through once a line, not once a byte.
    private func scan() -> RequestScan {
        held.withUnsafeReadableBytes { bytes in
            scanned == 0 || bytes[min(scanned, bytes.count)...].contains(UInt8(ascii: "\n"))
                ? RequestScan(bytes) : .incomplete
        }
    }

    /// Goes on after the event it waited for.
    func resume() {
        guard let context, mode != .ending, mode != .lingering else { return }
        proceed(context)
        flush(context)
        if slow != nil { context.fireChannelReadComplete() }
        if isReadWanted {
            isReadWanted = false
            read(context: context)
        }
    }

    func flush(_ context: ChannelHandlerContext) {
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }
}
