import CNghttp2
import HitServer
import NIOCore

/// A request over HTTP/2 and its response. Belongs to the event loop of its connection.
final class HTTP2Stream {
    let id: Int32
    /// Nil once the stream is closed or reset.
    private var connection: HTTP2Connection?
    /// What answers the request; nil for a hit.
    var task: Task<Void, Never>?

    // The request.

    private var isRequestWhole: Bool
    /// Whether the client waits for a 100 response.
    private var isExpecting: Bool
    /// Bytes so far. Before there is a reader, the client may send no more than its window.
    private var unread: [UInt8] = []
    private var reader: (limit: Int, promise: EventLoopPromise<RequestBody>)?
    /// Whether the rest of the body is dropped.
    private var isUnwanted = false
    private var pace: BodyPace

    // The response.

    private var body = ByteBuffer()
    /// Keeps the room of a hit's body in the budget until the stream ends.
    var owner: PreparedHit?
    /// Whether nothing follows ``body``.
    private(set) var isBodyWhole = false
    private var drained: EventLoopPromise<Void>?
    private var sent = 0
    /// When the client last took enough bytes, and what was sent by then.
    private var progress: (time: NIODeadline, sent: Int, sentByAll: Int)

    /// - Parameter expects: whether the client sends the body after a 100 response only.
    init(_ id: Int32, _ connection: HTTP2Connection, isRequestWhole: Bool, expects: Bool = false) {
        self.id = id
        self.connection = connection
        self.isRequestWhole = isRequestWhole
        isExpecting = expects
        let now = connection.loop.time
        pace = BodyPace(at: now, isInvited: !expects)
        progress = (now, 0, connection.sent)
    }

    /// Ends it: the client is gone or may not continue. Its connection forgets it.
    func drop() {
        guard let connection else { return }
        self.connection = nil
        task?.cancel()
        // A reader has consumed them already.
        if reader == nil { connection.drop(unread.count) }
        unread = []
        // The response's body stays: a frame of it may have begun.
        finishReading(.broken)
        drained?.fail(ChannelError.ioOnClosedChannel)
        drained = nil
    }

    // MARK: Request

    func received(_ bytes: UnsafeRawBufferPointer) {
        guard let connection else { return }
        pace.add(bytes.count, at: connection.loop.time)
        if isUnwanted { return connection.drop(bytes.count) }
        unread += bytes
        guard let reader else { return }
        connection.consume(bytes.count, of: id)
        if unread.count > reader.limit { finishReading(.tooLong) }
    }

    func receivedEnd() {
        isRequestWhole = true
        if reader != nil { finishReading(.whole(unread)) }
    }

    /// Returns the body once it is complete. Called once.
    func read(upTo limit: Int, on loop: any EventLoop) -> EventLoopFuture<RequestBody> {
        let promise = loop.makePromise(of: RequestBody.self)
        guard let connection else {
            promise.succeed(.broken)
            return promise.futureResult
        }
        reader = (limit, promise)
        if isExpecting, !isRequestWhole {
            pace.invite(at: connection.loop.time)
            connection.invite(id)
        }
        connection.consume(unread.count, of: id)
        if unread.count > limit {
            finishReading(.tooLong)
        } else if isRequestWhole {
            finishReading(.whole(unread))
        }
        return promise.futureResult
    }

    private func finishReading(_ body: RequestBody) {
        guard let promise = reader?.promise else { return }
        reader = nil
        isUnwanted = true
        unread = []
        promise.succeed(body)
    }

    // MARK: Response

    /// Sends the head of the response, and its body if that is in memory.
    func respond(_ answer: Response, isSmall: Bool) {
        connection?.respond(answer, isSmall: isSmall, on: self)
    }

    /// The rest of the response can't be sent.
    func fail() { connection?.reset(self, NGHTTP2_INTERNAL_ERROR) }

    /// Bytes that the next frames take.
    var unsent: Int { body.readableBytes }

    /// Appends a piece of the body, whose predecessor is sent. Returns when the connection has taken
    /// it.
    func write(
        _ bytes: ByteBuffer, isLast: Bool, on loop: any EventLoop
    ) -> EventLoopFuture<Void> {
        guard let connection else {
            return loop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        let promise = loop.makePromise(of: Void.self)
        drained = promise
        put(bytes, isLast: isLast)
        connection.resume(id)
        return promise.futureResult
    }

    /// Sets the body, or its next piece.
    func put(_ bytes: ByteBuffer, isLast: Bool) {
        body = bytes
        isBodyWhole = isLast
    }

    /// Moves the first bytes of the body to a frame.
    func write(_ count: Int, to output: inout ByteBuffer) {
        body.withUnsafeReadableBytes {
            _ = output.writeBytes(UnsafeRawBufferPointer(rebasing: $0.prefix(count)))
        }
        body.moveReaderIndex(forwardBy: min(count, body.readableBytes))
        sent += count
        connection?.sent += count
        guard unsent == 0 else { return }
        body = ByteBuffer()
        drained?.succeed()
        drained = nil
    }

    /// The last frame of the response is written. Returns whether the client still sends.
    func ended() -> Bool {
        isUnwanted = true
        return !isRequestWhole && connection != nil
    }

    // MARK: Limits

    /// Whether its client sends the rest of the request too slowly.
    var isDripping: Bool {
        guard let limits = connection?.loop.limits, !isRequestWhole, unsent == 0 else {
            return false
        }
        return pace.isSlow(limits, after: limits.dripGrace)
    }

    /// Checks at every tick. Returns whether the client neither sends the rest of its request nor
    /// reads its response.
    ///
    /// - Parameter isLineFull: whether the connection has bytes that the client didn't take.
    func isTooSlow(isLineFull: Bool) -> Bool {
        guard let connection else { return false }
        let (now, limits) = (connection.loop.time, connection.loop.limits)
        pace.advance(to: now, isAwaited: !isRequestWhole && (reader != nil || unread.isEmpty))
        if !isRequestWhole, pace.isTooSlow(limits) { return true }
        if unsent == 0 || sent - progress.sent >= SendProgress.leastProgress {
            progress = (now, sent, connection.sent)
        } else if isLineFull {
            // All streams wait for each other, and the connection checks its client. But if others
            // were served since, the client gives this stream no window.
            let isPassed =
                connection.sent - progress.sentByAll > HTTP2Connection.bytesInLine
                && !connection.hasWindow(id)
            if !isPassed { progress.time = now }
        }
        return now - progress.time > limits.send
    }
}
