import HitServer
import NIOCore

/// A request over HTTP/2 and its response. Its connection does what the functions return. Belongs to the
/// event loop of the connection.
final class HTTP2Stream {
    let id: Int32
    /// False once the stream is closed or reset.
    private(set) var isOpen = true
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

    /// - Parameters:
    ///   - sentByAll: bytes of bodies that all streams have sent.
    ///   - expects: whether the client sends the body after a 100 response only.
    init(
        _ id: Int32, at now: NIODeadline, sentByAll: Int, isRequestWhole: Bool,
        expects: Bool = false
    ) {
        self.id = id
        self.isRequestWhole = isRequestWhole
        isExpecting = expects
        pace = BodyPace(at: now.milliseconds, isInvited: !expects)
        progress = (now, 0, sentByAll)
    }

    /// Ends it: the client is gone or may not continue. Returns the bytes of the request that no reader
    /// gets.
    func drop() -> Int {
        guard isOpen else { return 0 }
        isOpen = false
        task?.cancel()
        // A reader has consumed them already.
        let dropped = reader == nil ? unread.count : 0
        unread = []
        // The response's body stays: a frame of it may have begun.
        finishReading(.broken)
        drained?.fail(ChannelError.ioOnClosedChannel)
        drained = nil
        return dropped
    }

    // MARK: Request

    /// What becomes of bytes of the body.
    enum Taken {
        /// They wait for a reader. The client may not send more for them.
        case kept
        case read
        case unwanted
    }

    func received(_ bytes: UnsafeRawBufferPointer, at now: NIODeadline) -> Taken {
        guard isOpen else { return .kept }
        pace.add(bytes.count, at: now.milliseconds)
        if isUnwanted { return .unwanted }
        unread += bytes
        guard let reader else { return .kept }
        if unread.count > reader.limit { finishReading(.tooLong) }
        return .read
    }

    func receivedEnd() {
        isRequestWhole = true
        if reader != nil { finishReading(.whole(unread)) }
    }

    /// Fulfills the promise once the body is complete. Called once. Returns the bytes that are read now,
    /// and whether the client has to be invited to send.
    func read(
        upTo limit: Int, _ promise: EventLoopPromise<RequestBody>, at now: NIODeadline
    ) -> (bytes: Int, invites: Bool) {
        guard isOpen else {
            promise.succeed(.broken)
            return (0, false)
        }
        reader = (limit, promise)
        let invites = isExpecting && !isRequestWhole
        if invites { pace.invite(at: now.milliseconds) }
        let count = unread.count
        if count > limit {
            finishReading(.tooLong)
        } else if isRequestWhole {
            finishReading(.whole(unread))
        }
        return (count, invites)
    }

    private func finishReading(_ body: RequestBody) {
        guard let promise = reader?.promise else { return }
        reader = nil
        isUnwanted = true
        unread = []
        promise.succeed(body)
    }

    // MARK: Response

    /// Bytes that the next frames take.
    var unsent: Int { body.readableBytes }

    /// Sets the body, or the next piece of it after its predecessor is sent.
    ///
    /// - Parameter sent: is fulfilled when the connection has taken it.
    func put(_ bytes: ByteBuffer, isLast: Bool, _ sent: EventLoopPromise<Void>? = nil) {
        drained = sent
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
        guard unsent == 0 else { return }
        body = ByteBuffer()
        drained?.succeed()
        drained = nil
    }

    /// The last frame of the response is written. Returns whether the client still sends.
    func ended() -> Bool {
        isUnwanted = true
        return !isRequestWhole && isOpen
    }

    // MARK: Limits

    /// Whether its client sends the rest of the request too slowly.
    func isDripping(_ limits: ConnectionLimits) -> Bool {
        guard isOpen, !isRequestWhole, unsent == 0 else { return false }
        return pace.isSlow(limits.engine, after: limits.engine.dripGrace)
    }

    /// What lies between the streams of a connection and its client.
    struct Line {
        /// Whether there are bytes that the client didn't take.
        var isFull: Bool
        /// Bytes of bodies that all streams have sent.
        var sent: Int
        /// Most bytes between a stream and the socket.
        var most: Int
    }

    /// Checks at every tick. Returns whether the client neither sends the rest of its request nor
    /// reads its response.
    ///
    /// - Parameter hasWindow: whether the client takes bytes of this stream at the moment.
    func isTooSlow(
        at now: NIODeadline, _ limits: ConnectionLimits, _ line: Line, hasWindow: () -> Bool
    ) -> Bool {
        guard isOpen else { return false }
        pace.advance(
            to: now.milliseconds, isAwaited: !isRequestWhole && (reader != nil || unread.isEmpty))
        if !isRequestWhole, pace.isTooSlow(limits.engine) { return true }
        if unsent == 0 || sent - progress.sent >= SendProgress.leastProgress {
            progress = (now, sent, line.sent)
        } else if line.isFull {
            // All streams wait for each other, and the connection checks its client. But if others
            // were served since, the client gives this stream no window.
            let isPassed = line.sent - progress.sentByAll > line.most && !hasWindow()
            if !isPassed { progress.time = now }
        }
        return now - progress.time > limits.send
    }
}
