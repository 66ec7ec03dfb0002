/// A request that a responder has, and its response so far. Belongs to the thread of its connection.
final class Exchange {
    /// Bytes of a body that are read before the responder wants them.
    private static let readAhead = 16 << 10

    let number: Int
    private let framing: RequestScan.Framing
    var task: Task<Void, Never>?

    // The request.

    var body: IncomingBody
    private var content = BodyReader()
    /// Whether the client got its 100 response, or needs none.
    private var isInvited: Bool

    // The response.

    /// Whether its head is written.
    private(set) var hasBegun = false
    /// Whether all of it is written.
    private(set) var isWhole = false
    /// Whether the connection closes after it.
    var closes: Bool
    private var isChunked = false
    private var writer: CheckedContinuation<Bool, Never>?

    init(
        _ number: Int, _ framing: RequestScan.Framing, _ limits: ServerContext.Limits, at now: Int
    ) {
        self.number = number
        self.framing = framing
        body = IncomingBody(framing, limits, at: now)
        isInvited = !framing.expects
        closes = framing.closes
    }

    /// Ends it, because the client is gone or gets another response.
    func drop() {
        if !isWhole { task?.cancel() }
        content.finish(.broken)
        writer?.resume(returning: false)
        writer = nil
    }

    // MARK: Request

    /// Whether bytes of the body are read now.
    var wantsBytes: Bool {
        !body.isWhole && !body.isBroken
            && (content.isAwaited || content.isUnwanted || content.count < Self.readAhead)
    }

    /// Takes bytes and returns how many of them belong to the body.
    func take(_ bytes: UnsafeRawBufferPointer, at now: Int) -> Int {
        let count = body.take(bytes, at: now) { content.add($0) }
        if body.isBroken {
            closes = true
            content.finish(.broken)
        }
        content.deliver(isWhole: body.isWhole)
        return count
    }

    /// The client sends nothing more.
    func inputClosed() {
        closes = true
        content.finish(.broken)
        task?.cancel()
    }

    /// Returns whether the client has to be invited to send.
    func read(
        upTo limit: Int, _ continuation: CheckedContinuation<RequestBody, Never>, at now: Int
    ) -> Bool {
        content.read(upTo: limit, continuation, isWhole: body.isWhole)
        if body.isBroken { content.finish(.broken) }
        guard content.isAwaited, !isInvited else { return false }
        isInvited = true
        body.invite(at: now)
        return true
    }

    // MARK: Response

    /// Returns the head as it is sent.
    ///
    /// - Parameters:
    ///   - hasLength: whether it has the length of the body.
    ///   - isLast: whether the connection takes no further request.
    func begin(_ head: ResponseHead, hasLength: Bool, isLast: Bool) -> [UInt8] {
        hasBegun = true
        isChunked = !hasLength && !framing.isVersion10
        // A client that got no 100 response may or may not send its body.
        let isHeldBack = !isInvited && !body.isWhole
        closes = closes || isLast || isHeldBack || body.isTooLongToDrop
        var head = head
        head.end(closes: closes, isChunked: isChunked)
        return head.bytes
    }

    /// All of the response is made. Forgets the task, because one that has ended keeps the memory that it had until
    /// its last reference is gone.
    func end() {
        isWhole = true
        task = nil
    }

    /// Returns a piece of the body as it is sent.
    func piece(
        _ bytes: [UInt8], isLast: Bool, _ writer: CheckedContinuation<Bool, Never>
    ) -> [UInt8] {
        self.writer = writer
        if isLast { end() }
        guard isChunked else { return bytes }
        var chunk: [UInt8] = []
        chunk.reserveCapacity(bytes.count + 32)
        if !bytes.isEmpty {
            chunk += String(bytes.count, radix: 16).utf8
            chunk += Self.lineEnd
            chunk += bytes
            chunk += Self.lineEnd
        }
        if isLast { chunk += Self.lastChunk }
        return chunk
    }

    private static let lineEnd = Array("\r\n".utf8)
    private static let lastChunk = Array("0\r\n\r\n".utf8)

    /// Everything written is sent.
    func isSent() {
        writer?.resume(returning: true)
        writer = nil
    }
}
