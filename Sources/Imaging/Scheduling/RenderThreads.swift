import Synchronization
import Threads

/// Threads for blocking work, a set per lane, used through an asynchronous call.
///
/// Rendering never runs on the cooperative pool: a few large pictures would stop everything else.
final class RenderThreads: Sendable {
    private let queue: RenderQueue

    /// - Parameter threadEnds: called on each thread before it ends.
    /// - Throws: ``ImagingError/misconfigured(reason:)`` if the system refuses a thread.
    init(_ policy: RenderPolicy, threadEnds: @escaping @Sendable () -> Void) throws(ImagingError) {
        let queue = RenderQueue(policy)
        self.queue = queue
        @Sendable func start(_ lane: RenderLane) throws(SystemThread.Refusal) {
            try SystemThread.start(
                lane == .slow ? "render-slow" : "render", niceness: lane.niceness
            ) {
                queue.work(lane)
                threadEnds()
                queue.threadEnded()
            }
        }
        do {
            for lane in RenderLane.allCases {
                for _ in 0..<policy.threads { try start(lane) }
            }
        } catch {
            throw .misconfigured(reason: "a render thread can't be started (\(error.reason))")
        }
    }

    deinit { queue.close() }

    var load: RenderLoad { queue.load }

    /// Runs work on one of the threads. Canceling removes it from the queue; work that has started
    /// finishes.
    ///
    /// - Parameters:
    ///   - bytes: held while the work is queued.
    ///   - urgency: of work that no client waits for; nil if one does.
    func run<Value: Sendable>(
        _ cost: RenderCost, bytes: Int = 0, urgency: Urgency? = nil,
        _ work: @escaping @Sendable (RenderTurn) throws(ImagingError) -> Value
    ) async throws(ImagingError) -> Value {
        let ticket = Mutex<RenderQueue.Ticket?>(nil)
        let result: Result<Value, ImagingError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = RenderQueue.Job { turn in
                    let result = Result { () throws(ImagingError) in try work(turn) }
                    return { continuation.resume(returning: result) }
                } refuse: { error in
                    continuation.resume(returning: .failure(error))
                }
                if Task.isCancelled { return job.refuse(.canceled) }
                let taken = queue.add(
                    job, cost, bytes: bytes, isOfRun: urgency.map { !$0.isRaised } ?? false)
                ticket.withLock { $0 = taken }
                if let taken { urgency?.onRaise { [queue] in queue.raise(taken) } }
                // Without a ticket the cancellation handler had nothing to cancel.
                if Task.isCancelled, let taken { queue.cancel(taken) }
            }
        } onCancel: {
            if let ticket = ticket.withLock({ $0 }) { queue.cancel(ticket) }
        }
        return try result.get()
    }

    /// Refuses queued and new work, finishes running work, and returns when all threads have ended.
    /// Idempotent.
    func shutdown() async {
        queue.close()
        await queue.allEnded()
    }
}
