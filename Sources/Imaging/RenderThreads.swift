import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A fixed set of threads for work that blocks, with an asynchronous door.
///
/// Rendering never runs on the cooperative pool: a few large pictures would stop everything else.
final class RenderThreads: Sendable {
    private let queue: RenderQueue
    private let countdown: Countdown

    /// - Parameters:
    ///   - count: 0 means one per core.
    ///   - queueLimit: jobs that may wait.
    ///   - threadEnds: called on each thread as the last thing.
    init(
        count: Int, queueLimit: Int, threadEnds: @escaping @Sendable () -> Void
    ) throws(ImagingError) {
        let count = count > 0 ? count : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        queue = RenderQueue(limit: queueLimit, threads: count)
        countdown = Countdown(threads: count)
        for index in 0..<count {
            let queue = queue
            let countdown = countdown
            let started = RenderThread.start(named: "render-\(index)") {
                queue.work()
                threadEnds()
                countdown.threadEnded()
            }
            guard started else {
                throw .misconfigured(reason: "render thread \(index + 1) can't be started")
            }
        }
    }

    deinit { countdown.closeOnce { queue.close() } }

    /// Runs work on one of the threads. Cancelling takes it out of the queue; work that has started
    /// finishes.
    ///
    /// - Parameter work: gets the time it has waited.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (_ queued: Duration) throws(ImagingError) -> Value
    ) async throws(ImagingError) -> Value {
        let ticket = Mutex<RenderQueue.Ticket?>(nil)
        let result: Result<Value, ImagingError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = RenderQueue.Job { queued in
                    continuation.resume(
                        returning: Result { () throws(ImagingError) in try work(queued) })
                } refuse: { error in
                    continuation.resume(returning: .failure(error))
                }
                if Task.isCancelled { return job.refuse(.cancelled) }
                let taken = queue.add(job)
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
    /// ended. Idempotent.
    func shutdown() async {
        countdown.closeOnce { queue.close() }
        await countdown.allEnded()
    }
}
