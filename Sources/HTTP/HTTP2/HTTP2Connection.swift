import CNghttp2
import Glibc

/// One HTTP/2 connection: from received bytes to bytes to send. Belongs to the loop's thread.
///
/// A hit is answered in the call that reads it. Other requests are ``demands`` that the loop takes.
final class HTTP2Connection: HTTP2Session.Owner {
    /// What a request needs from the loop.
    enum Demand {
        case responder(HTTP2Stream, RequestHead)
        /// ``HTTP2Stream/wait`` has to end.
        case read(HTTP2Stream)
        case refusal(HTTP2Stream, RequestRefusal, RequestHead)
    }

    /// What became of bytes to send.
    enum Step {
        case sent
        /// The socket is full.
        case full
        /// There is more, but other connections come first.
        case more
        /// Everything is sent, and no more requests are answered.
        case ended
        /// The client is gone.
        case broken
    }

    /// Bytes that are sent before other connections of the thread have their turn.
    private static let turn = 512 << 10

    let file: CInt
    /// Tells connections apart that had the same descriptor.
    let number: Int
    private(set) var streams: [Int32: HTTP2Stream] = [:]
    private(set) var demands: [Demand] = []
    /// Whether it continues in the next round.
    var isEager = false
    /// Whether it is in the list of idle connections.
    var isListed = false

    var session: HTTP2Session?
    /// Answers hits. Only while bytes are received.
    private var answers: UnsafeMutablePointer<HitAnswers>?
    /// Bytes that the socket did not take.
    var unsent: ArraySlice<UInt8> = []
    /// Whether the socket was full at the last send. What it doesn't take is kept, so a client that reads
    /// slowly gets one record at a time.
    private var wasFull = false
    private var scan = HTTP2FrameScan()
    private var abuse = HTTP2Abuse()
    var hasServed = false
    var isQuiescing = false
    /// Whether nothing follows what is unsent.
    var isClosing = false
    private var lastStream: Int32 = 0
    /// Milliseconds of a monotonic clock.
    var now: Int
    var since: Int
    /// When the first byte of the incomplete frame or head arrived.
    var frameBegan: Int?
    /// When the client last took enough bytes, and how many were acknowledged by then.
    var progress: (time: Int, bytes: Int)
    /// Bytes that the socket has taken.
    var sent = 0

    /// - Parameter now: milliseconds of a monotonic clock.
    init(
        _ file: CInt, _ number: Int, maxHeadBytes: Int, at now: Int
    ) throws(HTTP2Session.Failure) {
        (self.file, self.number, self.now, since) = (file, number, now, now)
        progress = (now, 0)
        session = try HTTP2Session(self, maxHeadBytes: maxHeadBytes)
    }

    /// Ends it: the client is gone, or may not continue.
    func end() {
        isClosing = true
        for stream in Array(streams.values) { drop(stream) }
        streams.removeAll()
        demands = []
        session = nil
    }

    // MARK: Bytes

    /// Takes bytes of the client. The caller sends next.
    func receive(
        _ bytes: UnsafeRawBufferPointer, _ answers: inout HitAnswers, at now: Int
    ) {
        guard let session, !isClosing else { return }
        self.now = now
        let wasOpen = scan.isOpen
        let hasPaused = scan.take(bytes)
        noteFrame(isOpen: scan.isOpen, isNew: hasPaused || !wasOpen)
        abuse.add(scan.takeCounts(), at: now)
        if abuse.isTooMuch { return session.end(NGHTTP2_ENHANCE_YOUR_CALM) }
        let failure = withUnsafeMutablePointer(to: &answers) { answers -> HTTP2Session.Failure? in
            self.answers = answers
            defer { self.answers = nil }
            do throws(HTTP2Session.Failure) {
                try session.receive(bytes)
                return nil
            } catch {
                return error
            }
        }
        if let failure { return fail(failure) }
        if abuse.isTooMuch { session.end(NGHTTP2_ENHANCE_YOUR_CALM) }
    }

    /// Sends what the session has, as far as the socket takes it.
    func send(_ transport: Transport, _ output: HTTP2Output) -> Step {
        var left = Self.turn
        while true {
            while !unsent.isEmpty {
                let taken = unsent.withUnsafeBytes { Self.send($0, transport) }
                guard taken >= 0 else { return errno == EAGAIN ? .full : .broken }
                sent += taken
                unsent = unsent.dropFirst(taken)
            }
            let limit = wasFull ? HTTP2Output.record : HTTP2Output.most
            guard let session, !isClosing else { return .ended }
            guard left > 0 else { return .more }
            output.clear(limit: limit)
            do throws(HTTP2Session.Failure) {
                try session.fill(output)
            } catch {
                fail(error)
                continue
            }
            if abuse.isTooMuch { session.end(NGHTTP2_ENHANCE_YOUR_CALM) }
            if output.count == 0 { return session.isDone ? .ended : .sent }
            let taken = max(0, Self.send(output.bytes, transport))
            let isFull = taken < output.count
            if isFull, errno != EAGAIN, taken == 0 { return .broken }
            sent += taken
            left -= taken
            wasFull = isFull
            if isFull {
                unsent = Array(UnsafeRawBufferPointer(rebasing: output.bytes[taken...]))[...]
                return .full
            }
        }
    }

    /// Returns -1 with `errno` if the socket doesn't take any.
    private static func send(_ bytes: UnsafeRawBufferPointer, _ transport: Transport) -> Int {
        var part = iovec(
            iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
        return transport.send(&part, 1, more: false)
    }

    /// Sends GOAWAY by hand, because the session can't any more, and closes.
    private func fail(_ failure: HTTP2Session.Failure) {
        let code: nghttp2_error_code
        switch failure {
        case .notHTTP2: code = NGHTTP2_PROTOCOL_ERROR
        case .flooded: code = NGHTTP2_ENHANCE_YOUR_CALM
        case .other: code = NGHTTP2_INTERNAL_ERROR
        }
        var frame: [UInt8] = [0, 0, 8, UInt8(NGHTTP2_GOAWAY.rawValue), 0, 0, 0, 0, 0]
        for number in [UInt32(bitPattern: lastStream), code.rawValue] {
            frame += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        unsent += frame
        end()
    }

    // MARK: Requests

    var hasDemands: Bool { !demands.isEmpty }

    /// Returns what requests need from the loop, once.
    func takeDemands() -> [Demand] {
        defer { demands = [] }
        return demands
    }

    func received(_ block: inout FieldBlock, on id: Int32, isWhole: Bool) {
        hasServed = true
        since = now
        lastStream = id
        if block.isTooLarge {
            abuse.add(.init(errors: 1), at: now)
            let limit = answers?.pointee.context.limits.maxHeadBytes ?? 0
            return refuse(.headTooLarge(limit: limit), block.head, on: id, isWhole: isWhole)
        }
        switch block.scan() {
        case .plain(let request) where isWhole: answer(request, block.head, on: id)
        case .plain(let request): demand(block.head, request.framing, on: id, isWhole: isWhole)
        case .framed(let framing): demand(block.head, framing, on: id, isWhole: isWhole)
        case .refused(let fault): refuse(.unreadable(fault), block.head, on: id, isWhole: isWhole)
        case .incomplete: session?.reset(id, NGHTTP2_PROTOCOL_ERROR)
        }
    }

    private func demand(
        _ head: RequestHead, _ framing: RequestScan.Framing, on id: Int32, isWhole: Bool
    ) {
        let stream = open(id, isRequestWhole: isWhole, expects: framing.expects)
        demands.append(.responder(stream, head))
    }

    private func refuse(
        _ refusal: RequestRefusal, _ head: RequestHead, on id: Int32, isWhole: Bool
    ) {
        demands.append(.refusal(open(id, isRequestWhole: isWhole), refusal, head))
    }

    /// Answers a request without a body.
    private func answer(
        _ request: RequestScan.PlainRequest, _ head: RequestHead, on id: Int32
    ) {
        guard let answers else { return }
        let stream = open(id, isRequestWhole: true)
        let stop = head.bytes.withUnsafeBytes { bytes in
            answers.pointee.answer(request, bytes, from: file) { respond($0, $1, on: stream) }
        }
        switch stop {
        case nil: break
        case .waits(let read, _)?:
            stream.wait = (DiskWait(read), request, head)
            demands.append(.read(stream))
        default: demands.append(.responder(stream, head))
        }
    }

    /// Answers a request whose read has ended, or gives it to a responder.
    func resume(_ stream: HTTP2Stream, _ answers: inout HitAnswers) {
        guard let wait = stream.wait else { return }
        (stream.wait, stream.number) = (nil, nil)
        let stop = wait.head.bytes.withUnsafeBytes { bytes in
            answers.answer(wait.request, bytes, from: file, after: wait.disk) {
                respond($0, $1, on: stream)
            }
        }
        if stop != nil { demands.append(.responder(stream, wait.head)) }
    }

    private func respond(
        _ answer: HitLookup.Answer, _ head: ResponseHead.Sent, on stream: HTTP2Stream
    ) {
        guard answer.bodySize > 0 else {
            session?.respond(head, on: stream.id, body: nil)
            return
        }
        if let part = answer.filePart {
            stream.put(.file(part), isLast: true)
        } else {
            let prepared = answer.prepared
            stream.put(
                .body(prepared, answer.variant.part ?? 0..<prepared.byteCount), isLast: true)
        }
        stream.hasBegun = true
        session?.respond(head, on: stream.id, body: stream)
    }

    func received(_ bytes: UnsafeRawBufferPointer, on id: Int32) {
        switch streams[id]?.received(bytes, at: now) {
        case .kept?: break
        case .read?: session?.consume(bytes.count, of: id)
        case .unwanted?, nil: session?.drop(bytes.count)
        }
    }

    func receivedEnd(on id: Int32) { streams[id]?.receivedEnd() }

    func rejectedFrame() { abuse.add(.init(errors: 1), at: now) }

    /// Counts a reset that the client has caused like one of its own. The others end a response that is whole, or one
    /// that the service failed to make.
    func wroteReset(_ code: UInt32) {
        guard code != NGHTTP2_NO_ERROR.rawValue, code != NGHTTP2_INTERNAL_ERROR.rawValue else {
            return
        }
        abuse.add(.init(resets: 1), at: now)
    }

    // MARK: Streams

    private func open(_ id: Int32, isRequestWhole: Bool, expects: Bool = false) -> HTTP2Stream {
        let stream = HTTP2Stream(
            id, at: now, sentByAll: session?.sent ?? 0, isRequestWhole: isRequestWhole,
            expects: expects)
        streams[id] = stream
        return stream
    }

    /// Returns the stream whose request, or read, has this number.
    func stream(_ number: Int) -> HTTP2Stream? { streams.values.first { $0.number == number } }

    /// The caller sends next, as after all of the following.
    func read(
        _ stream: HTTP2Stream, upTo limit: Int,
        _ reader: CheckedContinuation<RequestBody, Never>, at now: Int
    ) {
        let reading = stream.read(upTo: limit, reader, at: now)
        if reading.invites { session?.invite(stream.id) }
        if reading.bytes > 0 { session?.consume(reading.bytes, of: stream.id) }
    }

    /// Sends a whole response.
    func respond(_ head: ResponseHead, _ body: HeldBody, on stream: HTTP2Stream) {
        guard stream.isOpen else { return }
        stream.hasBegun = true
        stream.isMade()
        let isEmpty = body.bytes.isEmpty
        if !isEmpty { stream.put(.bytes(body.bytes, body.hold), isLast: true) }
        head.sent { session?.respond($0, on: stream.id, body: isEmpty ? nil : stream) }
    }

    /// Begins a response whose body follows.
    func begin(_ head: ResponseHead, on stream: HTTP2Stream) {
        guard stream.isOpen else { return }
        stream.hasBegun = true
        head.sent { session?.respond($0, on: stream.id, body: stream) }
    }

    func write(
        _ bytes: [UInt8], isLast: Bool, on stream: HTTP2Stream,
        _ writer: CheckedContinuation<Bool, Never>
    ) {
        guard stream.isOpen else { return writer.resume(returning: false) }
        if isLast { stream.isMade() }
        stream.put(.bytes(bytes), isLast: isLast, writer)
        session?.resume(stream.id)
    }

    /// The read of a stream's file has ended.
    func fetchEnded(_ stream: HTTP2Stream) {
        stream.number = nil
        stream.fetchEnded()
        session?.resume(stream.id)
    }

    /// The rest of a response can't be sent.
    func fail(_ stream: HTTP2Stream) { reset(stream, NGHTTP2_INTERNAL_ERROR) }

    private func drop(_ stream: HTTP2Stream) {
        let count = stream.drop()
        if count > 0 { session?.drop(count) }
    }

    /// Resets a stream, which drops what it has not sent.
    func reset(_ stream: HTTP2Stream, _ code: nghttp2_error_code) {
        guard stream.isOpen else { return }
        drop(stream)
        session?.reset(stream.id, code)
    }

    /// Resets the stream of an answered request whose body is incomplete (RFC 9113, section 8.1).
    func ended(_ id: Int32) {
        if streams[id]?.ended() == true { session?.reset(id, NGHTTP2_NO_ERROR) }
    }

    func closed(_ id: Int32) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        drop(stream)
        since = now
    }

    /// Records whether a head or another frame is incomplete. `isNew` means that it is another one
    /// than before. Streams watch the bodies of requests.
    private func noteFrame(isOpen: Bool, isNew: Bool) {
        if !isOpen {
            frameBegan = nil
        } else if isNew || frameBegan == nil {
            frameBegan = now
        }
    }

    /// The client has acknowledged GOAWAY.
    func acknowledgedShutdown() {
        if isQuiescing { session?.finishShutdown() }
    }
}
