import HitServer
import Logging
import NIOCore
import NIOHTTP1

/// First on every encrypted HTTP/1.1 connection. Passes one request at a time to the HTTP codec behind
/// it, the same bytes in the same order.
///
/// Bytes after a request wait here until it is answered, so responses keep the order of their
/// requests. This handler answers hits itself.
final class HTTP1Connection: ChannelDuplexHandler, LoopConnection {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let loop: ServingLoop
    private var mode = ConnectionPhase.Mode.open
    private var context: ChannelHandlerContext?
    private var stack: (watch: AnswerWatch, task: Task<Void, Never>)?
    private let transport: TLSTransport

    private var held = HeldBytes()
    private var isReadWanted = false
    private var needsFlush = false
    private var unsent = SendProgress()

    private var request: IncomingBody
    /// Whether the connection closes after the response under way.
    private var endsWithAnswer = false
    /// Bytes dropped since the last response was sent.
    private var lingered = 0
    /// Whether the client sends nothing more.
    private var isInputClosed = false
    /// Whether the server has read everything and waits for more.
    private var isAwaiting = false
    /// When the state began that timeouts count from.
    private(set) var since: NIODeadline
    private var hasServed = false
    /// When the last bytes arrived.
    private var received = NIODeadline.distantPast

    init(_ loop: ServingLoop, _ transport: TLSTransport) {
        self.loop = loop
        self.transport = transport
        request = IncomingBody(
            .init(headLength: 0, closes: false), loop.limits.engine, at: loop.time.milliseconds)
        since = loop.time
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.opened(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        mode = .ending
        stack?.task.cancel()
        loop.closed(self)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stack?.watch.onAnswer = {}
        loop.closed(self)
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        received = .now()
        isAwaiting = false
        switch mode {
        case .ending: return
        case .lingering: return drop(bytes.readableBytes)
        case .open, .handedOn:
            if held.isEmpty, mode == .open { since = loop.time }
            held.append(bytes)
        }
        proceed(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush(context)
        if stack != nil { context.fireChannelReadComplete() }
        // The codec behind asks for nothing more.
        if mode == .lingering { context.read() }
    }

    /// Stops reading while earlier bytes wait. A client that sends without reading then fills its
    /// own buffers, not the server's.
    func read(context: ChannelHandlerContext) {
        let isFull = held.count >= loop.limits.maxHeadBytes
        isReadWanted = isFull || (mode == .open && !context.channel.isWritable)
        guard !isReadWanted else { return }
        isAwaiting = true
        context.read()
    }

    /// Drops what the codec writes after the last response.
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
        if stack != nil { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if stack == nil { context.close(promise: nil) } else { context.fireErrorCaught(error) }
    }

    private func flush(_ context: ChannelHandlerContext) {
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }

    // MARK: Requests

    /// Deals with the held bytes as far as that is possible now.
    private func proceed(_ context: ChannelHandlerContext) {
        while !held.isEmpty {
            switch mode {
            case .open:
                guard context.channel.isWritable, take(context) else { return }
            case .handedOn(let isAnswered):
                guard !request.isWhole else { return }
                handOnBody(isAnswered, context)
            case .ending, .lingering:
                held.clear()
            }
        }
        // The channel reuses a read buffer that has no other owner.
        held.clear()
    }

    /// Continues after the event that was waited for.
    private func resume() {
        guard let context, mode != .ending, mode != .lingering else { return }
        proceed(context)
        flush(context)
        if stack != nil { context.fireChannelReadComplete() }
        if isReadWanted { read(context: context) }
    }

    /// Takes one request. Returns false if its head has not arrived completely.
    private func take(_ context: ChannelHandlerContext) -> Bool {
        switch held.scan() {
        case .incomplete:
            if held.mayBeHTTP {
                refuseIfTooLarge(held.count, context)
            } else {
                refuse(.notHTTP, context)
            }
            return mode != .open
        case .plain(let request):
            guard !refuseIfTooLarge(request.framing.headLength, context) else { return true }
            if answer(request, context) { return true }
            handOn(request.framing, context)
        case .framed(let framing):
            guard !refuseIfTooLarge(framing.headLength, context) else { return true }
            handOn(framing, context)
        case .refused(let fault):
            refuse(held.mayBeHTTP ? .unreadable(fault) : .notHTTP, context)
        }
        return true
    }

    /// Answers a hit on an encrypted connection. Returns false, with the request still held, if it
    /// is not a hit.
    private func answer(
        _ request: RequestScan.PlainRequest, _ context: ChannelHandlerContext
    ) -> Bool {
        let found = held.withBytes {
            loop.answer(
                request, $0, received: received, client: context.channel.remoteAddress?.ipAddress
            ) { head, body, owner in
                (parts: [ByteBuffer(bytes: head)] + (body.map { [$0] } ?? []), owner: owner)
            }
        }
        guard let answer = found else { return false }
        held.drop(request.framing.headLength)
        hasServed = true
        needsFlush = true
        since = loop.time
        write(answer.parts, keeping: answer.owner, context)
        if request.framing.closes { end(context) }
        return true
    }

    /// Writes parts of a hit, which counts as held until they are sent.
    private func write(
        _ parts: [ByteBuffer], keeping hit: PreparedHit, _ context: ChannelHandlerContext
    ) {
        for part in parts.dropLast() {
            context.write(wrapOutboundOut(.byteBuffer(part)), promise: nil)
        }
        guard let last = parts.last else { return }
        context.write(wrapOutboundOut(.byteBuffer(last))).whenComplete { _ in
            withExtendedLifetime(hit) {}
        }
    }

    /// Passes exactly one request on. The next one waits for its response.
    private func handOn(_ framing: RequestScan.Framing, _ context: ChannelHandlerContext) {
        guard join(context) else { return }
        loop.counters.hits.responded.add()
        endsWithAnswer = endsWithAnswer || framing.closes
        request = IncomingBody(framing, loop.limits.engine, at: loop.time.milliseconds)
        mode = .handedOn(isAnswered: false)
        since = loop.time
        flush(context)
        handOn(framing.headLength, context)
    }

    private func handOnBody(_ isAnswered: Bool, _ context: ChannelHandlerContext) {
        let count = held.withBytes { request.take($0, at: loop.time.milliseconds) }
        if request.isBroken {
            held.clear()
            endsWithAnswer = true
            if isAnswered { return end(context) }
            // The codec might read it as something else. The error reaches the body's reader.
            return context.fireErrorCaught(HTTPParserError.invalidChunkSize)
        }
        if isAnswered {
            if request.drop(count) { return end(context) }
            if request.isWhole { mode = .open }
        }
        handOn(count, context)
    }

    private func handOn(_ count: Int, _ context: ChannelHandlerContext) {
        guard let bytes = held.take(count) else { return }
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    /// Adds the codec if the connection doesn't have it yet. Returns false, and closes, if that fails.
    private func join(_ context: ChannelHandlerContext) -> Bool {
        if stack != nil { return true }
        let onEnd = loop.beginStackWork()
        do {
            let joined = try loop.stack.join(
                context.channel, maxHeadBytes: loop.limits.maxHeadBytes, onEnd: onEnd)
            joined.watch.mustBeLast = { [weak self] in
                self.map { $0.endsWithAnswer || $0.request.isTooLongToDrop } ?? true
            }
            joined.watch.onInvitation = { [weak self] in
                self.map { $0.request.invite(at: $0.loop.time.milliseconds) }
            }
            joined.watch.onAnswer = { [weak self] in self?.answered() }
            stack = joined
            return true
        } catch {
            onEnd()
            loop.logger.error("a connection was dropped", metadata: ["error": "\(error)"])
            mode = .ending
            context.close(promise: nil)
            return false
        }
    }

    /// The codec has written the end of a response.
    private func answered() {
        guard let context, let stack else { return }
        if stack.watch.isLast { endsWithAnswer = true }
        hasServed = true
        since = loop.time
        guard mode == .handedOn(isAnswered: false) else { return }
        if endsWithAnswer { return end(context) }
        mode = request.isWhole ? .open : .handedOn(isAnswered: true)
        guard mode == .open else { return }
        // Not within the codec's own call, which flushes after this.
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            handler.value.resume()
        }
    }

    // MARK: Ending

    /// Closes after everything written is sent. A client that may still send gets time to read the
    /// response first, because unread bytes would reset the connection (RFC 9112, section 9.6).
    private func end(_ context: ChannelHandlerContext, mayFollow: Bool = false) {
        guard mode != .ending, mode != .lingering else { return }
        let lingers = mayFollow || !request.isWhole || !held.isEmpty
        mode = .ending
        since = loop.time
        held.clear()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let nothing = wrapOutboundOut(.byteBuffer(ByteBuffer()))
        context.writeAndFlush(nothing).whenComplete { _ in
            let (handler, context) = bound.value
            if lingers { handler.linger(context) } else { context.close(promise: nil) }
        }
    }

    private func linger(_ context: ChannelHandlerContext) {
        guard mode == .ending, self.context != nil else { return }
        guard !isInputClosed else { return context.close(promise: nil) }
        mode = .lingering
        since = loop.time
        lingered = 0
        context.close(mode: .output, promise: nil)
        context.read()
    }

    /// Drops bytes after the last request.
    private func drop(_ count: Int) {
        lingered += count
        if lingered > loop.limits.maxLingerBytes { abort() }
    }

    func quiesce() {
        guard let context else { return }
        switch mode {
        case .open: end(context)
        case .handedOn(let isAnswered):
            endsWithAnswer = true
            if isAnswered { end(context) }
        case .ending, .lingering: break
        }
    }

    func abort() {
        mode = .ending
        stack?.task.cancel()
        // TLS would wait for the close_notify of a silent client.
        transport.cut()
    }

    /// Treats a client that closes its end while it waits as gone, as nginx does. It looks the same
    /// as one that only stopped sending, and work for a client that is gone costs more.
    private func inputClosed(_ context: ChannelHandlerContext) {
        isInputClosed = true
        switch mode {
        case .open: end(context)
        case .handedOn(let isAnswered):
            endsWithAnswer = true
            stack?.task.cancel()
            if isAnswered { end(context) }
        case .ending: break
        case .lingering: abort()
        }
    }

    // MARK: Refusals and limits

    @discardableResult
    private func refuseIfTooLarge(_ length: Int, _ context: ChannelHandlerContext) -> Bool {
        let refusal = RequestRefusal(
            tooLarge: length, held.view, maxHeadBytes: loop.limits.maxHeadBytes,
            maxTargetBytes: loop.limits.maxTargetBytes)
        if let refusal { refuse(refusal, context) }
        return refusal != nil
    }

    private func refuse(_ refusal: RequestRefusal, _ context: ChannelHandlerContext) {
        loop.counters.hits.refused.add()
        let bytes = loop.stack.refuse(
            refusal, start: held.first(256),
            client: context.channel.remoteAddress?.ipAddress, closes: true)
        context.write(wrapOutboundOut(.byteBuffer(ByteBuffer(bytes: bytes))), promise: nil)
        stack?.task.cancel()
        end(context, mayFollow: true)
    }

    private var phase: ConnectionPhase {
        ConnectionPhase(
            mode: mode, waited: loop.time - since, hasServed: hasServed, isHolding: !held.isEmpty)
    }

    var standing: Standing {
        unsent.bytes == 0 ? phase.standing(request, loop.limits) : .busy
    }

    func check() {
        guard let context else { return }
        if unsent.isStuck(context.channel, at: loop.time, for: loop.limits.send) {
            return timeOut(abort)
        }
        request.advance(to: loop.time.milliseconds, isAwaited: isAwaiting)
        guard unsent.bytes == 0 else { return }
        switch phase.verdict(request, loop.limits) {
        case .stays: break
        case .headIsTooSlow: timeOut { refuse(.tooSlow, context) }
        case .bodyIsTooSlow:
            let hasBegun = stack?.watch.hasBegun == true
            timeOut { if hasBegun { abort() } else { refuse(.bodyTooSlow, context) } }
        case .ends: timeOut { end(context) }
        case .aborts(isTimeOut: true): timeOut(abort)
        case .aborts(isTimeOut: false): abort()
        }
    }

    private func timeOut(_ close: () -> Void) {
        loop.recordTimeOut()
        close()
    }
}
