import Dispatch
import Synchronization

/// Work that waits for a render thread: bounded, first come first served, each piece can be taken
/// out again.
final class RenderQueue: Sendable {
    /// Exactly one of the two is called, once.
    struct Job: Sendable {
        var run: @Sendable (_ queued: Duration) -> Void
        var refuse: @Sendable (ImagingError) -> Void
    }

    /// Numbers jobs in the order they came.
    typealias Ticket = UInt64

    private struct State {
        var waiting: [Ticket: (job: Job, since: ContinuousClock.Instant)] = [:]
        var next: Ticket = 0
        /// No smaller ticket waits.
        var oldest: Ticket = 0
        /// Threads without a job: what they will take doesn't wait.
        var idle: Int
        var isClosed = false

        /// A cancelled job leaves its wake-up behind; then there may be nothing.
        mutating func takeOldest() -> (job: Job, since: ContinuousClock.Instant)? {
            while oldest < next {
                defer { oldest += 1 }
                if let entry = waiting.removeValue(forKey: oldest) { return entry }
            }
            return nil
        }
    }

    private let limit: Int
    private let threads: Int
    private let state: Mutex<State>
    /// Counts jobs, and at the end one for each thread.
    private let wakeUps = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - limit: jobs that may wait while all threads are busy.
    ///   - threads: how many call ``work()``.
    init(limit: Int, threads: Int) {
        self.limit = limit
        self.threads = threads
        state = Mutex(State(idle: threads))
    }

    /// nil where the job was refused.
    func add(_ job: Job) -> Ticket? {
        let result = state.withLock { state -> Result<Ticket, ImagingError> in
            if state.isClosed { return .failure(.stopped) }
            if state.waiting.count >= limit + state.idle { return .failure(.overloaded) }
            let ticket = state.next
            state.next += 1
            state.waiting[ticket] = (job, .now)
            return .success(ticket)
        }
        switch result {
        case .success(let ticket):
            wakeUps.signal()
            return ticket
        case .failure(let error):
            job.refuse(error)
            return nil
        }
    }

    /// Takes a job out that hasn't started.
    func cancel(_ ticket: Ticket) {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.job.refuse(.cancelled)
    }

    /// Runs jobs until the queue is closed; what a render thread does with its life.
    func work() {
        while true {
            wakeUps.wait()
            let (entry, isClosed) = state.withLock { state in
                let entry = state.takeOldest()
                if entry != nil { state.idle -= 1 }
                return (entry, state.isClosed)
            }
            if let entry {
                entry.job.run(entry.since.duration(to: .now))
                state.withLock { $0.idle += 1 }
            } else if isClosed {
                return
            }
        }
    }

    /// Refuses what waits and what comes; the threads end. To be called once.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for (_, entry) in waiting { entry.job.refuse(.stopped) }
        for _ in 0..<threads { wakeUps.signal() }
    }
}
