import Synchronization

/// Threads for work that blocks, a set for each lane, with an asynchronous door.
///
/// Rendering never runs on the cooperative pool: a few large pictures would stop everything else.
final class RenderThreads: Sendable {
    private let queue: RenderQueue
    private let countdown: Countdown

    /// - Parameter threadEnds: called on each thread as the last thing.
    init(_ policy: RenderPolicy, threadEnds: @escaping @Sendable () -> Void) throws(ImagingError) {
        let queue = RenderQueue(policy)
        let countdown = Countdown(threads: 2 * policy.threads + 1)
        self.queue = queue
        self.countdown = countdown
        @Sendable func start(_ lane: RenderCost.Lane) -> Bool {
            RenderThread.start(
                named: lane == .slow ? "render-slow" : "render", niceness: lane.niceness
            ) {
                let isCounted = queue.work(lane) { countdown.threadCameBack() }
                threadEnds()
                if isCounted { countdown.threadEnded() }
            }
        }
        for lane in RenderCost.Lane.allCases {
            for index in 0..<policy.threads {
                guard start(lane) else {
                    throw .misconfigured(reason: "render thread \(index + 1) can't be started")
                }
            }
        }
        let isWatched = RenderThread.start(named: "render-watch") {
            queue.watchOver { lane, isReplaced in
                // Where nobody takes its place, it isn't waited for at the end.
                if !isReplaced || !start(lane) { countdown.threadEnded() }
            }
            countdown.threadEnded()
        }
        guard isWatched else {
            throw .misconfigured(reason: "the watching thread can't be started")
        }
    }

    deinit { countdown.closeOnce { queue.close() } }

    var load: RenderLoad { queue.load }

    /// Runs work on one of the threads. Cancelling takes it out of the queue; work that has started
    /// finishes, or is given up when it is over its time.
    ///
    /// - Parameters:
    ///   - bytes: held while it waits.
    ///   - work: gets the time it has waited.
    func run<Value: Sendable>(
        _ cost: RenderCost, bytes: Int = 0,
        _ work: @escaping @Sendable (_ queued: Duration) throws(ImagingError) -> Value
    ) async throws(ImagingError) -> Value {
        let ticket = Mutex<RenderQueue.Ticket?>(nil)
        let result: Result<Value, ImagingError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = Answer(continuation)
                let job = RenderQueue.Job { queued in
                    let result = Result { () throws(ImagingError) in try work(queued) }
                    return { answer.give(result) }
                } refuse: { error in
                    answer.give(.failure(error))
                }
                if Task.isCancelled { return job.refuse(.cancelled) }
                let taken = queue.add(job, cost, bytes: bytes)
                ticket.withLock { $0 = taken }
                // Cancelled before there was a ticket, the handler had nothing to cancel.
                if Task.isCancelled, let taken { queue.cancel(taken) }
            }
        } onCancel: {
            if let ticket = ticket.withLock({ $0 }) { queue.cancel(ticket) }
        }
        return try result.get()
    }

    /// Refuses what waits and what comes, finishes what runs, and returns when all threads have
    /// ended that don't hang. Idempotent.
    func shutdown() async {
        countdown.closeOnce { queue.close() }
        await countdown.allEnded()
    }
}

/// Only the first counts: who was given up may come back.
private final class Answer<Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Result<Value, ImagingError>, Never>
    private let waiter: Mutex<Waiter?>

    init(_ continuation: CheckedContinuation<Result<Value, ImagingError>, Never>) {
        waiter = Mutex(continuation)
    }

    func give(_ result: Result<Value, ImagingError>) {
        let waiter = waiter.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }
        waiter?.resume(returning: result)
    }
}
