import Dispatch
import Memory
import Synchronization

/// Connects the schedule to threads: holds the jobs, and wakes idle threads.
final class RenderQueue: Sendable {
    /// Either closure completes the job, once.
    struct Job: Sendable {
        /// Does the work, blocking; returns a closure that resumes the caller.
        var run: @Sendable (RenderTurn) -> @Sendable () -> Void
        var refuse: @Sendable (ImagingError) -> Void
    }

    /// A job that a thread runs.
    private struct Started {
        var ticket: Ticket
        var job: Job
        var turn: RenderTurn
    }

    typealias Ticket = RenderSchedule.Ticket

    private struct State {
        var schedule: RenderSchedule
        /// Queued jobs.
        var jobs: [Ticket: Job] = [:]
    }

    private let policy: RenderPolicy
    private let state: Mutex<State>
    /// Wake-ups; some find nothing to do.
    private let quick = DispatchSemaphore(value: 0)
    private let slow = DispatchSemaphore(value: 0)

    init(_ policy: RenderPolicy) {
        self.policy = policy
        state = Mutex(State(schedule: RenderSchedule(policy)))
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
            while let started = start(lane) {
                wakeIfThereIsWork(lane)
                let settle = started.job.run(started.turn)
                state.withLock { $0.schedule.end(started.ticket) }
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

    /// Refuses queued and new jobs and ends the threads. Call once.
    func close() {
        let waiting = state.withLock { state in
            state.schedule.close().compactMap { state.jobs.removeValue(forKey: $0) }
        }
        for job in waiting { job.refuse(.stopped) }
        for _ in 0..<policy.threads {
            quick.signal()
            slow.signal()
        }
    }

    private func start(_ lane: RenderLane) -> Started? {
        let started = state.withLock { state -> Started? in
            guard let start = state.schedule.start(lane, at: .now),
                let job = state.jobs.removeValue(forKey: start.ticket)
            else { return nil }
            let turn = RenderTurn(queued: start.queued, lane: lane, threads: start.threads)
            return Started(ticket: start.ticket, job: job, turn: turn)
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
