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
        /// A request is with the codec; so many bytes of its body are still to come.
        case handedOn(bodyLeft: Int, isAnswered: Bool)
        /// Everything goes to the codec from now on, because where requests end is not certain.
        case through
        /// The last answer is written; nothing more is read.
        case ending
    }

    let loop: ServingLoop
    var mode = Mode.open
    /// What was read and not dealt with.
    var held = ByteBuffer()
    var context: ChannelHandlerContext?
    var slow: (watch: AnswerWatch, task: Task<Void, Never>)?
    /// Whether the connection ends with the answer under way.
    var endsWithAnswer = false
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
        switch mode {
        case .ending: return
        case .through:
            if let slow, slow.watch.underWay == 0, !slow.watch.isReading { since = loop.time }
            context.fireChannelRead(data)
            return
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
        giveBackIfWorthwhile(context)
    }

    /// Stops reading while what was read can't be dealt with: a client that sends without reading
    /// fills its own buffers, not ours.
    func read(context: ChannelHandlerContext) {
        let isFull = held.readableBytes >= loop.limits.maxHeadBytes
        if isFull || (mode == .open && !context.channel.isWritable) {
            isReadWanted = true
        } else {
            context.read()
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
            case .handedOn(let bodyLeft, let isAnswered):
                guard bodyLeft > 0 else { return }
                handOnBody(bodyLeft, isAnswered, context)
            case .through:
                handOn(held.readableBytes, context)
            case .ending:
                held = ByteBuffer()
            }
        }
        // The reading end uses a buffer again that nobody else holds.
        held = ByteBuffer()
    }

    /// One request; false where its head has not arrived whole.
    private func take(_ context: ChannelHandlerContext) -> Bool {
        switch held.withUnsafeReadableBytes({ RequestScan($0) }) {
        case .incomplete where !held.withUnsafeReadableBytes(RequestScan.mayBegin),
            .opaque where !held.withUnsafeReadableBytes(RequestScan.mayBegin):
            refuse(.notHTTP, context)
        case .incomplete:
            refuseIfTooLarge(held.readableBytes, context)
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
        case .opaque:
            guard join(context) else { return true }
            loop.counters.handedOn.add()
            mode = .through
        }
        return true
    }

    /// Goes on after the event it waited for.
    func resume() {
        guard let context, mode != .ending else { return }
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
