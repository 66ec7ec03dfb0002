import Dispatch
import Synchronization
import Threads

/// Connects the schedule to threads: holds the jobs, and wakes idle threads.
final class RenderQueue: Sendable {
    /// Either closure completes the job, once.
    struct Job: Sendable {
        /// Does the work, blocking; returns a closure that resumes the caller.
        var run: @Sendable (RenderTurn) -> @Sendable () -> Void
        var refuse: @Sendable (ImagingError) -> Void
    }

    typealias Ticket = RenderSchedule.Ticket

    private struct State {
        var schedule: RenderSchedule
        /// Queued jobs.
        var jobs: [Ticket: Job] = [:]
        /// Threads that have not ended.
        var threads: Int
    }

    private let policy: RenderPolicy
    private let state: Mutex<State>
    /// Wake-ups; some find nothing to do.
    private let quick = DispatchSemaphore(value: 0)
    private let slow = DispatchSemaphore(value: 0)
    private let end = Latch<Void>()

    init(_ policy: RenderPolicy) {
        self.policy = policy
        state = Mutex(State(schedule: RenderSchedule(policy), threads: 2 * policy.threads))
    }

    /// Queues a job; returns nil if it was refused.
    ///
    /// - Parameters:
    ///   - bytes: size of the original, which is held while the job is queued.
    ///   - isOfRun: whether no client waits for it.
    func add(_ job: Job, _ cost: RenderCost, bytes: Int, isOfRun: Bool = false) -> Ticket? {
        do throws(ImagingError) {
            let ticket = try state.withLock { (state) throws(ImagingError) in
                let ticket = try state.schedule.add(
                    cost, bytes: bytes, isOfRun: isOfRun, at: .now)
                assert(state.jobs[ticket] == nil, "two jobs have one ticket")
                state.jobs[ticket] = job
                return ticket
            }
            semaphore(policy.lane(of: cost)).signal()
            StateChange.tell()
            return ticket
        } catch {
            job.refuse(error)
            return nil
        }
    }

    /// A client waits for a run's job from now on.
    func raise(_ ticket: Ticket) {
        guard state.withLock({ $0.schedule.raise(ticket) }) else { return }
        // What may start first is another one now.
        for lane in RenderLane.allCases { wakeIfThereIsWork(lane) }
    }

    /// Removes a job that hasn't started.
    func cancel(_ ticket: Ticket) {
        let job = state.withLock { state -> Job? in
            guard state.schedule.cancel(ticket) else { return nil }
            return state.jobs.removeValue(forKey: ticket)
        }
        guard let job else { return }
        job.refuse(.canceled)
        // The next in the queue may fit.
        for lane in RenderLane.allCases { wakeIfThereIsWork(lane) }
    }

    /// Runs jobs of a lane until the queue is closed: the body of a render thread.
    func work(_ lane: RenderLane) {
        while true {
            semaphore(lane).wait()
            while let (job, turn) = start(lane) {
                wakeIfThereIsWork(lane)
                let settle = job.run(turn)
                state.withLock { $0.schedule.end(turn.ticket) }
                settle()
                Allocator.rendered()
                // The other lane may need the memory that is free now.
                for other in RenderLane.allCases where other != lane {
                    wakeIfThereIsWork(other)
                }
            }
            if state.withLock({ $0.schedule.isClosed }) { return }
        }
    }

    var load: RenderLoad { state.withLock { $0.schedule.load(at: .now) } }

    /// Call on a thread that ends after ``work(_:)``.
    func threadEnded() {
        let isLast = state.withLock { state in
            state.threads -= 1
            assert(state.threads >= 0, "a thread ends twice")
            return state.threads == 0
        }
        if isLast { end.set(()) }
    }

    /// Returns when all threads have ended.
    func allEnded() async { await end.value() }

    /// Refuses queued and new jobs and ends the threads. Idempotent.
    func close() {
        let waiting = state.withLock { state in
            let waiting = state.schedule.close().compactMap { state.jobs.removeValue(forKey: $0) }
            assert(state.jobs.isEmpty, "a job is neither queued nor running")
            return waiting
        }
        for job in waiting { job.refuse(.stopped) }
        for _ in 0..<policy.threads {
            quick.signal()
            slow.signal()
        }
    }

    private func start(_ lane: RenderLane) -> (Job, RenderTurn)? {
        let started = state.withLock { state -> (Job, RenderTurn)? in
            guard let turn = state.schedule.start(lane, at: .now) else { return nil }
            assert(state.jobs[turn.ticket] != nil, "a job starts that is not there")
            guard let job = state.jobs.removeValue(forKey: turn.ticket) else { return nil }
            assert(turn.lane == lane && turn.threads > 0, "a job starts in another lane")
            return (job, turn)
        }
        if started != nil { StateChange.tell() }
        return started
    }

    private func wakeIfThereIsWork(_ lane: RenderLane) {
        if state.withLock({ $0.schedule.hasWork(lane) }) { semaphore(lane).signal() }
    }

    private func semaphore(_ lane: RenderLane) -> DispatchSemaphore {
        lane == .quick ? quick : slow
    }
}
