import Glibc

/// A request over HTTP/2 and its response. Its connection does what the functions return. Belongs
/// to the thread of the connection.
final class HTTP2Stream {
    let id: Int32
    /// False once the stream is closed or reset.
    private(set) var isOpen = true
    /// Tells it, or its read, from others of the thread; nil for a hit.
    var number: Int?
    /// What answers the request.
    var task: Task<Void, Never>?
    /// What the request waits for before it is answered.
    var wait: (disk: DiskWait, request: RequestScan.PlainRequest, head: RequestHead)?

    // The request.

    private var isRequestWhole: Bool
    /// Whether the client waits for a 100 response.
    private var isExpecting: Bool
    /// Before its responder waits for it, the client may send no more than its window.
    private var content = BodyReader()
    private var pace: BodyPace

    // The response.

    /// Whether its head is written.
    var hasBegun = false
    private var part: SendQueue.Part?
    /// Bytes of the part that are sent.
    private var offset = 0
    /// Whether nothing follows the part.
    private var isPartLast = false
    /// Bytes of the part's file up to here were in the page cache a moment ago.
    private var cached = 0
    /// Whether the part's file has to be read from the disk first.
    private(set) var wantsRead = false
    private var writer: CheckedContinuation<Bool, Never>?
    private var sent = 0
    /// When the client last took enough bytes, and what was sent by then.
    private var progress: (time: Int, sent: Int, sentByAll: Int)

    /// - Parameters:
    ///   - now: milliseconds of a monotonic clock.
    ///   - sentByAll: bytes of bodies that all streams have sent.
    ///   - expects: whether the client sends the body after a 100 response only.
    init(
        _ id: Int32, at now: Int, sentByAll: Int, isRequestWhole: Bool, expects: Bool = false
    ) {
        self.id = id
        self.isRequestWhole = isRequestWhole
        isExpecting = expects
        pace = BodyPace(at: now, isInvited: !expects)
        progress = (now, 0, sentByAll)
    }

    /// Ends it: the client is gone or may not continue. Returns the bytes of the request that no
    /// reader gets.
    func drop() -> Int {
        guard isOpen else { return 0 }
        isOpen = false
        task?.cancel()
        wait = nil
        // The response's part stays: a frame of it may have begun. A responder that waits has
        // consumed the bytes of the request already.
        content.finish(.broken)
        let dropped = content.drop()
        finishWriting(false)
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

    func received(_ bytes: UnsafeRawBufferPointer, at now: Int) -> Taken {
        guard isOpen else { return .kept }
        pace.add(bytes.count, at: now)
        if content.isUnwanted { return .unwanted }
        content.add(bytes)
        guard content.isAwaited else { return .kept }
        content.deliver(isWhole: false)
        return .read
    }

    func receivedEnd() {
        isRequestWhole = true
        content.deliver(isWhole: true)
    }

    /// Resumes the reader once the body is complete. Called once. Returns the bytes that are read
    /// now, and whether the client has to be invited to send.
    func read(
        upTo limit: Int, _ continuation: CheckedContinuation<RequestBody, Never>, at now: Int
    ) -> (bytes: Int, invites: Bool) {
        guard isOpen else {
            continuation.resume(returning: .broken)
            return (0, false)
        }
        let invites = isExpecting && !isRequestWhole
        if invites { pace.invite(at: now) }
        let count = content.count
        content.read(upTo: limit, continuation, isWhole: isRequestWhole)
        return (count, invites)
    }

    // MARK: Response

    /// All of the response is made. Forgets the task, because one that has ended keeps the memory that it had until
    /// its last reference is gone, some 20 KB, and the client may take its time.
    func isMade() { task = nil }

    /// What the next frame of the body has.
    enum Next {
        case bytes(Int, isLast: Bool)
        /// Nothing so far.
        case none
        /// The file has changed.
        case broken
    }

    /// Bytes of the part that are not sent.
    private var unsent: Int { part.map { $0.count - offset } ?? 0 }

    /// Sets the body, or the next part of it after its predecessor is sent.
    ///
    /// - Parameter writer: gets true when all of it is sent, and false if it never will.
    func put(
        _ part: SendQueue.Part, isLast: Bool, _ writer: CheckedContinuation<Bool, Never>? = nil
    ) {
        (self.part, offset, isPartLast, self.writer) = (part, 0, isLast, writer)
        // The source has just found a file unchanged, but its first frame may wait.
        cached = 0
        if part.count == 0, !isLast { finishWriting(true) }
    }

    func next(upTo limit: Int) -> Next {
        guard let part, !wantsRead else { return .none }
        let count = min(limit, unsent)
        guard count > 0 || isPartLast else { return .none }
        if case .file(let part) = part {
            let start = part.range.lowerBound + offset
            if start + count > cached {
                let piece = min(start + SendQueue.piece, part.range.upperBound)
                // Right before each piece, so that no piece of a changed file follows.
                guard part.file.isUnchanged else { return .broken }
                guard part.file.isCached(start..<piece) else {
                    wantsRead = true
                    return .none
                }
                cached = piece
            }
        }
        return .bytes(count, isLast: isPartLast && count == unsent)
    }

    /// Writes the bytes of the announced frame. Returns false if the file is shorter than it was.
    func write(to place: UnsafeMutableRawBufferPointer) -> Bool {
        switch part {
        case .bytes(let bytes, _)?:
            bytes.withUnsafeBytes {
                place.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + place.count]))
            }
        case .body(let hit, let range)?:
            let start = range.lowerBound + offset
            place.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: hit.body[start..<start + place.count]))
        case .file(let part)?:
            let start = part.range.lowerBound + offset
            guard
                pread(part.file.descriptor, place.baseAddress, place.count, off_t(start))
                    == place.count
            else { return false }
            part.file.countSent(place.count)
        case nil: return place.isEmpty
        }
        offset += place.count
        sent += place.count
        if unsent == 0 {
            part = nil
            finishWriting(true)
        }
        return true
    }

    private func finishWriting(_ isSent: Bool) {
        writer?.resume(returning: isSent)
        writer = nil
    }

    /// Starts to read what the next frames need. Calls `onEnd` on another thread.
    func fetch(_ onEnd: @escaping @Sendable () -> Void) {
        guard case .file(let part)? = part else { return onEnd() }
        // Sent without another look, so that a machine that is short of memory gets on.
        cached = part.fetch(after: offset, onEnd)
    }

    /// The read has ended.
    func fetchEnded() { wantsRead = false }

    /// The last frame of the response is written. Returns whether the client still sends.
    func ended() -> Bool {
        content.isUnwanted = true
        return !isRequestWhole && isOpen
    }

    // MARK: Limits

    /// Whether its client sends the rest of the request too slowly.
    func isDripping(_ limits: ServerContext.Limits) -> Bool {
        guard isOpen, !isRequestWhole, unsent == 0 else { return false }
        return pace.isSlow(limits, after: limits.dripGrace)
    }

    /// Most bytes between a stream and the socket: those that were encrypted and not sent.
    private static let bytesInLine = 2 * HTTP2Output.most

    /// Checks at every tick. Returns whether the client neither sends the rest of its request nor
    /// reads its response.
    ///
    /// - Parameters:
    ///   - isLineFull: whether there are bytes of the connection that the client didn't take.
    ///   - sentByAll: bytes of bodies that all streams have sent.
    ///   - hasWindow: whether the client takes bytes of this stream at the moment.
    func isTooSlow(
        at now: Int, _ limits: ServerContext.Limits, isLineFull: Bool, sentByAll: Int,
        hasWindow: () -> Bool
    ) -> Bool {
        guard isOpen else { return false }
        pace.advance(
            to: now, isAwaited: !isRequestWhole && (content.isAwaited || content.count == 0))
        if !isRequestWhole, pace.isTooSlow(limits) { return true }
        if unsent == 0 || wantsRead || sent - progress.sent >= SendQueue.leastProgress {
            progress = (now, sent, sentByAll)
        } else if isLineFull {
            // All streams wait for each other, and the connection checks its client. But if others
            // were served since, the client gives this stream no window.
            let isPassed = sentByAll - progress.sentByAll > Self.bytesInLine && !hasWindow()
            if !isPassed { progress.time = now }
        }
        return now - progress.time > limits.send
    }
}
