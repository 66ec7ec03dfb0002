import CNghttp2
import HTTPTypes
import HitServer
import NIOCore

/// One HTTP/2 connection: from decrypted bytes to bytes to encrypt. Belongs to one event loop.
///
/// A hit is answered in the call that reads it, without a channel or a task of its own. Any other
/// request gets a task that asks the responder.
final class HTTP2Connection: ChannelInboundHandler, LoopConnection, HTTP2Session.Owner,
    HTTP2Work.Connection
{
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = IOData

    /// Bytes that are encrypted and written at once: few records and system calls for many
    /// responses.
    private static let bytesOfWrite = 64 << 10
    /// Bytes that are written before other connections of the event loop have their turn.
    private static let bytesOfTurn = 512 << 10
    /// Most bytes between a stream and the socket.
    private static let bytesInLine = 2 * bytesOfWrite + BodyStream.watermark.high

    private let loop: ServingLoop
    private let transport: TLSTransport
    private var context: ChannelHandlerContext?
    private var session: HTTP2Session?
    private var streams: [Int32: HTTP2Stream] = [:]
    private var sending = SendProgress()
    private var scan = HTTP2FrameScan()
    private var abuse = HTTP2Abuse()
    private var hasServed = false
    private var isQuiescing = false
    private var isClosing = false
    /// Whether the session is in use, so that nothing may be sent from within.
    private var isInSession = false
    private var lastStream: Int32 = 0
    private(set) var since: NIODeadline
    /// When the last bytes arrived.
    private var received = NIODeadline.distantPast
    /// When the first byte of the incomplete frame or head arrived.
    private var frameBegan: NIODeadline?

    init(_ loop: ServingLoop, _ transport: TLSTransport) throws {
        self.loop = loop
        self.transport = transport
        since = loop.time
        session = try HTTP2Session(self, maxHeadBytes: loop.limits.maxHeadBytes)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        pump()
        loop.opened(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    /// The client is gone.
    private func end() {
        isClosing = true
        dropStreams()
        session = nil
        loop.closed(self)
    }

    private func dropStreams() {
        for stream in Array(streams.values) { drop(stream) }
        streams.removeAll()
    }

    // MARK: Bytes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let session, !isClosing else { return }
        received = .now()
        let bytes = unwrapInboundIn(data)
        let wasOpen = scan.isOpen
        let hasPaused = bytes.withUnsafeReadableBytes { scan.take($0) }
        noteFrame(isOpen: scan.isOpen, isNew: hasPaused || !wasOpen)
        abuse.add(scan.takeCounts(), at: loop.time)
        if abuse.isTooMuch { return session.end(NGHTTP2_ENHANCE_YOUR_CALM) }
        isInSession = true
        let failure = bytes.withUnsafeReadableBytes { bytes -> HTTP2Session.Failure? in
            do throws(HTTP2Session.Failure) {
                try session.receive(bytes)
                return nil
            } catch {
                return error
            }
        }
        isInSession = false
        if let failure { return fail(failure) }
        if abuse.isTooMuch { session.end(NGHTTP2_ENHANCE_YOUR_CALM) }
    }

    func channelReadComplete(context: ChannelHandlerContext) { pump() }

    func channelWritabilityChanged(context: ChannelHandlerContext) { pump() }

    /// Treats a client that closes its end as gone. It could not enlarge windows any more.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { close() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }

    /// Sends what the session has, as far as the socket takes it.
    private func pump() {
        guard let context, let session, !isInSession, !isClosing else { return }
        isInSession = true
        swap(&session.output, &loop.output)
        var left = Self.bytesOfTurn
        var failure: HTTP2Session.Failure?
        while context.channel.isWritable, left > 0, !isClosing {
            do throws(HTTP2Session.Failure) {
                try session.fill(upTo: Self.bytesOfWrite)
            } catch {
                failure = error
                break
            }
            let count = session.output.readableBytes
            guard count > 0 else { break }
            left -= count
            context.writeAndFlush(wrapOutboundOut(.byteBuffer(session.output)), promise: nil)
            session.output.clear()
        }
        swap(&session.output, &loop.output)
        isInSession = false
        if let failure { return fail(failure) }
        if session.isDone { return close() }
        guard left <= 0 else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.pump() }
    }

    /// Sends GOAWAY by hand, because the session can't any more, and closes.
    private func fail(_ failure: HTTP2Session.Failure) {
        let code: nghttp2_error_code
        switch failure {
        case .notHTTP2: code = NGHTTP2_PROTOCOL_ERROR
        case .flooded: code = NGHTTP2_ENHANCE_YOUR_CALM
        case .other: code = NGHTTP2_INTERNAL_ERROR
        }
        var frame = ByteBuffer(bytes: [0, 0, 8, UInt8(NGHTTP2_GOAWAY.rawValue), 0, 0, 0, 0, 0])
        frame.writeInteger(lastStream)
        frame.writeInteger(code.rawValue)
        context?.writeAndFlush(wrapOutboundOut(.byteBuffer(frame)), promise: nil)
        close()
    }

    /// Closes once everything written is sent.
    private func close() {
        guard !isClosing else { return }
        isClosing = true
        since = loop.time
        dropStreams()
        context?.close(promise: nil)
    }

    // MARK: Requests

    func received(_ head: FieldBlock, on id: Int32, isWhole: Bool) {
        hasServed = true
        since = loop.time
        lastStream = id
        if head.isTooLarge { return refuse(head, id, isWhole) }
        if isWhole, isAnswered(head, on: id) { return }
        handOn(head, id, isWhole)
    }

    /// Answers a hit. Returns false if it is not one.
    private func isAnswered(_ head: FieldBlock, on id: Int32) -> Bool {
        if let request = head.plain { return isAnswered(request, head.bytes, on: id) }
        guard let document = head.documentHead,
            case .plain(let request) = document.withUnsafeBytes(RequestScan.init)
        else { return false }
        return isAnswered(request, document, on: id)
    }

    private func isAnswered(
        _ request: RequestScan.PlainRequest, _ bytes: [UInt8], on id: Int32
    ) -> Bool {
        let answered: Void? = bytes.withUnsafeBytes { bytes in
            loop.answer(
                request, bytes, received: received,
                client: context?.channel.remoteAddress?.ipAddress
            ) { head, body, owner in
                let stream = stream(id, isRequestWhole: true)
                stream.owner = owner
                send(head, body, stream)
            }
        }
        return answered != nil
    }

    /// Sends a response whose body is in memory.
    private func send(_ head: UnsafeRawBufferPointer, _ body: ByteBuffer?, _ stream: HTTP2Stream) {
        streams[stream.id] = stream
        guard let body, body.readableBytes > 0 else {
            session?.respond(head, on: stream.id, body: nil)
            return
        }
        stream.put(body, isLast: true)
        session?.respond(head, on: stream.id, body: stream)
    }

    private func refuse(_ head: FieldBlock, _ id: Int32, _ isWhole: Bool) {
        loop.counters.hits.refused.add()
        let line = head.bytes[head.method] + Array(" ".utf8) + head.bytes[head.target]
        let answer = loop.stack.refuse(
            .headTooLarge(limit: loop.limits.maxHeadBytes), start: Array(line),
            client: context?.channel.remoteAddress?.ipAddress, closes: true)
        let stream = stream(id, isRequestWhole: isWhole)
        let end = answer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? answer.endIndex
        answer[..<end].withUnsafeBytes { send($0, ByteBuffer(bytes: answer[end...]), stream) }
    }

    /// Asks the responder, in a task that ends with the stream.
    private func handOn(_ head: FieldBlock, _ id: Int32, _ isWhole: Bool) {
        guard let context, let request = head.request else {
            session?.reset(id, NGHTTP2_PROTOCOL_ERROR)
            return
        }
        loop.counters.hits.responded.add()
        let expects = request.fields[.expect]?.lowercased() == "100-continue"
        let stream = stream(id, isRequestWhole: isWhole, expects: expects)
        streams[id] = stream
        let work = HTTP2Work(self, stream, loop.stack, context.eventLoop)
        // Unstructured, because it lives as long as the stream, which the event loop ends.
        stream.task = Task {
            [onEnd = loop.beginStackWork(), client = context.channel.remoteAddress?.ipAddress] in
            await work.answer(request, client: client)
            onEnd()
        }
    }

    func received(_ bytes: UnsafeRawBufferPointer, on id: Int32) {
        switch streams[id]?.received(bytes, at: loop.time) {
        case .kept?: break
        case .read?: consume(bytes.count, of: id)
        case .unwanted?, nil: drop(bytes.count)
        }
    }

    func receivedEnd(on id: Int32) { streams[id]?.receivedEnd() }

    func rejectedFrame() { abuse.add(.init(errors: 1), at: loop.time) }

    // MARK: Streams

    private func stream(
        _ id: Int32, isRequestWhole: Bool, expects: Bool = false
    ) -> HTTP2Stream {
        HTTP2Stream(
            id, at: loop.time, sentByAll: session?.sent ?? 0, isRequestWhole: isRequestWhole,
            expects: expects)
    }

    func read(
        _ stream: HTTP2Stream, upTo limit: Int, on eventLoop: any EventLoop
    ) -> EventLoopFuture<RequestBody> {
        let promise = eventLoop.makePromise(of: RequestBody.self)
        let reading = stream.read(upTo: limit, promise, at: loop.time)
        if reading.invites {
            session?.invite(stream.id)
            pump()
        }
        consume(reading.bytes, of: stream.id)
        return promise.futureResult
    }

    func respond(_ answer: Response, isSmall: Bool, on stream: HTTP2Stream) {
        guard stream.isOpen, let session else { return }
        var head = Array("HTTP/1.1 \(answer.status.code) \r\n".utf8)
        head += HTTPFields.lines(answer.fields)
        head.withUnsafeBytes { head in
            if isSmall {
                send(head, ByteBuffer(bytes: answer.body), stream)
            } else {
                session.respond(head, on: stream.id, body: stream)
            }
        }
        pump()
    }

    func write(
        _ bytes: ByteBuffer, isLast: Bool, on stream: HTTP2Stream, _ eventLoop: any EventLoop
    ) -> EventLoopFuture<Void> {
        guard stream.isOpen else {
            return eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        let promise = eventLoop.makePromise(of: Void.self)
        stream.put(bytes, isLast: isLast, promise)
        session?.resume(stream.id)
        pump()
        return promise.futureResult
    }

    func fail(_ stream: HTTP2Stream) { reset(stream, NGHTTP2_INTERNAL_ERROR) }

    private func consume(_ count: Int, of id: Int32) {
        guard count > 0 else { return }
        session?.consume(count, of: id)
        pump()
    }

    private func drop(_ count: Int) {
        if count > 0 { session?.drop(count) }
    }

    private func drop(_ stream: HTTP2Stream) { drop(stream.drop()) }

    /// Resets a stream, which drops what it has not sent.
    private func reset(_ stream: HTTP2Stream, _ code: nghttp2_error_code) {
        guard stream.isOpen else { return }
        drop(stream)
        session?.reset(stream.id, code)
        pump()
    }

    /// Resets the stream of an answered request whose body is incomplete (RFC 9113, section 8.1).
    func ended(_ id: Int32) {
        if streams[id]?.ended() == true { session?.reset(id, NGHTTP2_NO_ERROR) }
    }

    func closed(_ id: Int32) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        drop(stream)
        since = loop.time
    }

    // MARK: Limits and the end

    var standing: Standing {
        guard sending.bytes == 0, !isClosing else { return .busy }
        if streams.isEmpty, frameBegan == nil, hasServed, !isQuiescing { return .idle }
        let began = frameBegan ?? since
        let isLate = loop.time - began > loop.limits.dripGrace
        return isLate && streams.values.allSatisfy { $0.isDripping(loop.limits) }
            ? .dripping : .busy
    }

    /// Records whether a head or another frame is incomplete. `isNew` means that it is another one
    /// than before. Streams watch the bodies of requests.
    private func noteFrame(isOpen: Bool, isNew: Bool) {
        if !isOpen {
            frameBegan = nil
        } else if isNew || frameBegan == nil {
            frameBegan = loop.time
        }
    }

    func check() {
        guard let context else { return }
        let limits = loop.limits
        if sending.isStuck(
            context.channel, written: transport.written, at: loop.time, for: limits.send)
        {
            loop.recordTimeOut()
            abort()
            return
        }
        if isClosing {
            if loop.time - since > limits.send { abort() }
            return
        }
        if let frameBegan, loop.time - frameBegan > limits.head {
            // A connection that got GOAWAY is counted already.
            if !isQuiescing { loop.recordTimeOut() }
            abort()
            return
        }
        let line = HTTP2Stream.Line(
            isFull: sending.bytes > 0, sent: session?.sent ?? 0, most: Self.bytesInLine)
        for stream in Array(streams.values) {
            let isTooSlow = stream.isTooSlow(at: loop.time, limits, line) {
                session?.hasWindow(stream.id) ?? false
            }
            guard isTooSlow else { continue }
            loop.recordTimeOut()
            reset(stream, NGHTTP2_CANCEL)
        }
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
        session?.startShutdown()
        pump()
    }

    func acknowledgedShutdown() {
        if isQuiescing { session?.finishShutdown() }
    }

    func abort() {
        isClosing = true
        dropStreams()
        transport.cut()
    }
}
