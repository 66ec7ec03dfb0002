import Glibc

/// Collects the responses to requests that were read together, and sends them. Belongs to the thread of
/// a ``HitLoop``.
struct HitAnswers: ~Copyable {
    /// What became of requests that were read together.
    struct Answered {
        /// Bytes of those that were answered.
        var bytes = 0
        /// Whether the connection closes after the last of them.
        var closes = false
        /// Whether the batch is full, so that more hits may follow.
        var isBatchFull = false
        /// What the next request waits for.
        var read: (any HitRead)?
        /// The body of the last response, if it is in a file.
        var part: FileSend.Part?
    }

    private let context: HitContext
    private var hits: HitLookup
    private var batch = SendBatch()
    private var latency: RoundLatency
    private var logsHits: Bool
    /// Seconds since 1970 at the start of the round.
    private var date = 0.0

    init(_ hits: consuming HitLookup, _ context: HitContext) {
        self.hits = hits
        self.context = context
        latency = RoundLatency(context.reports)
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
        _ bytes: UnsafeRawBufferPointer, from file: CInt, after wait: ParkedConnections.Wait?
    ) -> Answered {
        let limits = context.limits
        var answered = Answered()
        while answered.bytes < bytes.count {
            if batch.isFull {
                answered.isBatchFull = true
                break
            }
            let rest = UnsafeRawBufferPointer(rebasing: bytes[answered.bytes...])
            guard case .plain(let request) = RequestScan(rest),
                request.framing.headLength <= limits.maxHeadBytes,
                request.target.count <= limits.maxTargetBytes
            else { break }
            let wait = answered.bytes == 0 ? wait : nil
            guard let answer = hits.answer(request, rest, at: date, after: wait?.read) else {
                answered.read = hits.takeRead()
                break
            }
            guard batch.add(answer, head: hits.head(answer)) else { break }
            context.counters.count(answer)
            latency.count(answer, waitingSince: wait?.since)
            if logsHits {
                context.reports.logHit(
                    HitLogEntry(request, rest, answer, client: SocketName.peer(file)))
            }
            answered.bytes += request.framing.headLength
            answered.closes = request.framing.closes
            answered.part = answer.filePart
            if answered.closes || answered.part != nil { break }
        }
        return answered
    }

    /// Sends the responses. Returns what the socket didn't take; nil if the client is gone.
    mutating func send(_ file: CInt, more: Bool) -> [Handover.Unsent]? {
        let unsent = batch.send(file, more: more)
        hits.settle()
        return unsent
    }
}
