import Glibc

/// Collects the responses to requests that were read together, and sends them. Belongs to the
/// thread of a ``ServerLoop``.
struct HitAnswers: ~Copyable {
    /// What became of requests that were read together.
    struct Answered {
        /// Bytes of those that were answered.
        var bytes = 0
        /// Whether the connection closes after the last of them.
        var closes = false
        /// The body of the last response, if it is in a file.
        var part: SendQueue.FilePart?
        /// Why no further request was answered.
        var stop = Stop.end
    }

    enum Stop {
        /// There is none, or it has to wait for the last response.
        case end
        /// The batch is full, so that more hits may follow.
        case batchIsFull
        /// Its head has not arrived completely.
        case incomplete
        /// It waits for the disk.
        case waits(any HitRead, RequestScan.Framing)
        /// It needs a responder.
        case request(RequestScan.Framing)
        case refused(RequestRefusal)
    }

    let context: ServerContext
    private var hits: HitLookup
    private var batch = SendBatch()
    private var latency: RoundLatency
    private var logsHits: Bool
    /// Seconds since 1970 at the start of the round.
    private var date = 0.0

    init(_ hits: consuming HitLookup, _ context: ServerContext) {
        self.hits = hits
        self.context = context
        latency = RoundLatency(context.counters)
        logsHits = context.reports.logsHits()
    }

    /// Begins a round and returns its time in nanoseconds of the monotonic clock.
    mutating func begin() -> Int64 {
        date = hits.now()
        return latency.begin()
    }

    mutating func end() { latency.end() }

    /// Forgets what has become invalid. Called at every tick.
    mutating func check() {
        logsHits = context.reports.logsHits()
        hits.sweep()
    }

    /// Collects the responses to the requests at the start of `bytes`.
    ///
    /// - Parameter wait: what the first request waited for.
    mutating func answer(
        _ bytes: UnsafeRawBufferPointer, from file: CInt, after wait: DiskWait?
    ) -> Answered {
        var answered = Answered()
        while answered.bytes < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[answered.bytes...])
            guard !batch.isFull else {
                answered.stop = .batchIsFull
                break
            }
            let wait = answered.bytes == 0 ? wait : nil
            let stop: Stop
            switch RequestScan(rest) {
            case .plain(let request):
                if let refusal = refusal(request.framing.headLength, rest) {
                    stop = .refused(refusal)
                } else if request.target.count > context.limits.maxTargetBytes {
                    stop = .request(request.framing)
                } else if let found = answer(request, rest, from: file, after: wait, &answered) {
                    stop = found
                } else {
                    if answered.closes || answered.part != nil { return answered }
                    continue
                }
            case .framed(let framing):
                stop =
                    refusal(framing.headLength, rest).map { .refused($0) } ?? .request(framing)
            case .incomplete: stop = incomplete(rest)
            case .refused(let fault):
                stop = .refused(
                    RequestScan.mayBegin(rest)
                        ? .unreadable(fault) : RequestRefusal(strange: rest))
            }
            answered.stop = stop
            break
        }
        return answered
    }

    /// Adds the response to a request to the batch. Returns why it can't be answered here.
    private mutating func answer(
        _ request: RequestScan.PlainRequest, _ rest: UnsafeRawBufferPointer, from file: CInt,
        after wait: DiskWait?, _ answered: inout Answered
    ) -> Stop? {
        guard let answer = hits.answer(request, rest, at: date, after: wait?.read) else {
            return hits.takeRead().map { .waits($0, request.framing) } ?? .request(request.framing)
        }
        let id = hits.id(of: request, rest)
        guard batch.add(answer, head: hits.head(answer, id).bytes) else {
            return .request(request.framing)
        }
        count(answer, request, rest, id, from: file, waitingSince: wait?.since)
        answered.bytes += request.framing.headLength
        answered.closes = request.framing.closes
        answered.part = answer.filePart
        return nil
    }

    /// Answers a request over HTTP/2. Returns why it can't be answered here; nil if it is.
    ///
    /// - Parameters:
    ///   - bytes: begin with the request.
    ///   - wait: what the request waited for.
    ///   - send: gets the response and its head, which are valid during the call.
    mutating func answer(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer, from file: CInt,
        after wait: DiskWait? = nil,
        _ send: (HitLookup.Answer, ResponseHead.Sent) -> Void
    ) -> Stop? {
        guard request.target.count <= context.limits.maxTargetBytes else {
            return .request(request.framing)
        }
        // Also if a response was found that a responder has to send: it may keep a file open.
        defer { hits.settle() }
        guard let answer = hits.answer(request, bytes, at: date, after: wait?.read) else {
            return hits.takeRead().map { .waits($0, request.framing) } ?? .request(request.framing)
        }
        let id = hits.id(of: request, bytes)
        send(answer, hits.head(answer, id))
        count(answer, request, bytes, id, from: file, waitingSince: wait?.since)
        return nil
    }

    private mutating func count(
        _ answer: HitLookup.Answer, _ request: RequestScan.PlainRequest,
        _ bytes: UnsafeRawBufferPointer, _ id: RequestID, from file: CInt, waitingSince: Int64?
    ) {
        context.counters.count(answer)
        latency.count(answer, waitingSince: waitingSince)
        guard logsHits else { return }
        context.reports.logHit(
            HitLogEntry(request, bytes, answer, id, client: SocketName.peer(file)))
    }

    /// Checks the start of a head.
    func incomplete(_ bytes: UnsafeRawBufferPointer) -> Stop {
        guard RequestScan.mayBegin(bytes) else {
            return .refused(RequestRefusal(strange: bytes))
        }
        return refusal(bytes.count, bytes).map { .refused($0) } ?? .incomplete
    }

    private func refusal(_ length: Int, _ bytes: UnsafeRawBufferPointer) -> RequestRefusal? {
        RequestRefusal(
            tooLarge: length, bytes, maxHeadBytes: context.limits.maxHeadBytes,
            maxTargetBytes: context.limits.maxTargetBytes)
    }

    /// Sends the responses. Returns what the socket didn't take; nil if the client is gone.
    mutating func send(_ transport: Transport, more: Bool) -> [SendQueue.Part]? {
        let unsent = batch.send(transport, more: more)
        hits.settle()
        return unsent
    }
}
