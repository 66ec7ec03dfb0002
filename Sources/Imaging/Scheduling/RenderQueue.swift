import Dispatch
import Memory
import Synchronization

/// Connects the schedule to threads: holds the jobs, wakes idle threads, and abandons hung renders.
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
        /// Queued and running jobs.
        var jobs: [Ticket: Job] = [:]
        /// Of the running jobs.
        var allowances: [Ticket: ThreadAllowance] = [:]
        /// Of their threads.
        var clocks: [Ticket: ThreadClock] = [:]
        /// Whether the watching thread looks again by itself.
        var isWatched = false

        /// Call after each change of the schedule.
        func allowThreads() {
            let threads = schedule.allowances
            for (ticket, allowance) in allowances { allowance.threads = threads[ticket] ?? 1 }
        }
    }

    private let policy: RenderPolicy
    private let state: Mutex<State>
    /// Wake-ups; some find nothing to do.
    private let quick = DispatchSemaphore(value: 0)
    private let slow = DispatchSemaphore(value: 0)
    private let watch = DispatchSemaphore(value: 0)

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
                state.allowThreads()
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
            state.allowThreads()
            return state.jobs.removeValue(forKey: ticket)
        }
        guard let job else { return }
        job.refuse(.canceled)
        // The next in the queue may fit.
        for lane in RenderLane.allCases { wakeIfThereIsWork(lane) }
    }

    /// Runs jobs of a lane until the queue is closed: the body of a render thread.
    ///
    /// - Parameter cameBack: called when this thread had been abandoned and continues after all.
    /// - Returns: whether the thread still counts; false if another took its place.
    func work(_ lane: RenderLane, cameBack: () -> Void) -> Bool {
        while true {
            semaphore(lane).wait()
            while let started = start(lane) {
                wakeIfThereIsWork(lane)
                let settle = started.job.run(started.turn)
                let after = state.withLock { state in
                    state.jobs[started.ticket] = nil
                    state.allowances[started.ticket] = nil
                    state.clocks[started.ticket] = nil
                    defer { state.allowThreads() }
                    return state.schedule.end(started.ticket)
                }
                settle()
                Allocator.rendered()
                // The other lane may need the memory that is free now.
                for other in RenderLane.allCases where other != lane {
                    wakeIfThereIsWork(other)
                }
                switch after {
                case .proceed: break
                case .rejoin: cameBack()
                case .end:
                    // Its memory is free now.
                    wakeIfThereIsWork(lane)
                    return false
                }
            }
            if state.withLock({ $0.schedule.isClosed }) { return true }
        }
    }

    /// Looks for jobs that are late by the clock until the queue is closed and no running job can become late: the body
    /// of the watching thread.
    ///
    /// - Parameter abandoned: called for each late job, with whether another thread should replace
    ///   its own.
    func watch(_ abandoned: (_ lane: RenderLane, _ isReplaced: Bool) -> Void) {
        while true {
            let isRunning = state.withLock { state in
                state.isWatched = state.schedule.isRunning
                return state.isWatched
            }
            if isRunning {
                _ = watch.wait(timeout: .now() + .milliseconds(250))
            } else if state.withLock({ $0.schedule.isClosed }) {
                return
            } else {
                watch.wait()
            }
            let late = state.withLock { state in
                state.schedule.findOverdue(at: .now).map {
                    ($0, state.jobs[$0.ticket], state.clocks[$0.ticket]?.used ?? .zero)
                }
            }
            for (overdue, job, used) in late {
                abandoned(overdue.lane, overdue.isReplaced)
                // A thread that only waits, such as on a busy machine, is not the picture's fault.
                job?.refuse(
                    used > overdue.limit
                        ? .tooSlow(seconds: overdue.limit / .seconds(1)) : .overloaded)
            }
            if state.withLock({ $0.schedule.isClosed && !$0.schedule.hasOthersThanOverdue }) {
                return
            }
        }
    }

    var load: RenderLoad { state.withLock { $0.schedule.load(at: .now) } }

    /// Refuses queued and new jobs and ends the threads. Call once.
    func close() {
        let waiting = state.withLock { state in
            state.schedule.close().compactMap { state.jobs.removeValue(forKey: $0) }
        }
        for job in waiting { job.refuse(.stopped) }
        // Replacement threads included.
        for _ in 0..<2 * policy.threads {
            quick.signal()
            slow.signal()
        }
        watch.signal()
    }

    private func start(_ lane: RenderLane) -> Started? {
        let (started, wakesWatch) = state.withLock { state -> (Started?, Bool) in
            let wakesWatch = !state.isWatched
            guard let (ticket, queued) = state.schedule.start(lane, at: .now),
                let job = state.jobs[ticket]
            else { return (nil, false) }
            let turn = RenderTurn(
                queued: queued, lane: lane, allowance: ThreadAllowance())
            state.allowances[ticket] = turn.allowance
            state.clocks[ticket] = ThreadClock()
            state.allowThreads()
            // Renders that follow each other closely wake it once.
            state.isWatched = true
            return (Started(ticket: ticket, job: job, turn: turn), wakesWatch)
        }
        if wakesWatch { watch.signal() }
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
