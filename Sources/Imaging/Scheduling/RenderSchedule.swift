/// Decides which render starts when: a pure state machine without threads or clock.
///
/// Each lane is first come, first served and has a share of the memory budget. So neither lane
/// waits for the other, and smaller pictures never overtake a large one forever.
///
/// Renders that no client waits for, those of runs, may use all threads and all memory. They start after
/// all that clients wait for: of a lane's threads, the next free one takes a client's render.
///
/// A slow render that needs more than the slow share starts when no other slow one runs. It borrows
/// the rest from the quick share; quick renders that don't fit beside it wait until it ends. All of
/// them start before the next render borrows, so that each waits for one borrower at most.
///
/// A render that can be divided also gets the threads that no other one uses or waits for when it starts,
/// as far as its lane has memory for them, and keeps them to its end.
struct RenderSchedule {
    /// The number of a job, in order of arrival.
    typealias Ticket = UInt64

    private struct Waiting {
        var peak: Int
        var side: Int
        var limit: Duration
        var bytes: Int
        var since: ContinuousClock.Instant
    }

    private struct Running {
        var lane: RenderLane
        /// Bytes on all of its threads.
        var peak: Int
        var limit: Duration
        var since: ContinuousClock.Instant
        var threads: Int
        /// Bytes of the peak that are taken from the quick share.
        var borrowed: Int
    }

    /// Queued jobs in order of arrival.
    private struct Line {
        var waiting: [Ticket: Waiting] = [:]
        /// No smaller ticket is queued.
        var oldest: Ticket = 0
        /// Bytes of queued originals.
        var held = 0

        /// Returns the job that has been queued longest.
        mutating func first(before end: Ticket) -> (Ticket, Waiting)? {
            while oldest < end {
                if let entry = waiting[oldest] { return (oldest, entry) }
                oldest += 1
            }
            return nil
        }

        mutating func insert(_ ticket: Ticket, _ entry: Waiting) {
            assert(waiting[ticket] == nil, "a job is queued twice")
            waiting[ticket] = entry
            held += entry.bytes
            oldest = min(oldest, ticket)
        }

        mutating func remove(_ ticket: Ticket) -> Waiting? {
            guard let entry = waiting.removeValue(forKey: ticket) else { return nil }
            held -= entry.bytes
            assert(held >= 0, "a queue holds fewer than no bytes")
            assert(!waiting.isEmpty || held == 0, "an empty queue holds \(held) bytes")
            return entry
        }
    }

    private struct Track {
        /// Jobs that clients wait for.
        var clients = Line()
        /// Jobs of runs, which bound their number and hold their originals within the memory for originals.
        var runs = Line()
        /// Threads without a job; the jobs they will take don't count as queued.
        var idle: Int
        /// Unused bytes of the share.
        var free: Int

        var count: Int { clients.waiting.count + runs.waiting.count }
        var tickets: [Ticket] { Array(clients.waiting.keys) + Array(runs.waiting.keys) }

        /// Returns the job that starts next.
        mutating func first(before end: Ticket) -> (Ticket, Waiting)? {
            clients.first(before: end) ?? runs.first(before: end)
        }

        mutating func remove(_ ticket: Ticket) -> Waiting? {
            clients.remove(ticket) ?? runs.remove(ticket)
        }

        mutating func raise(_ ticket: Ticket) -> Bool {
            guard let entry = runs.remove(ticket) else { return false }
            clients.insert(ticket, entry)
            return true
        }
    }

    let policy: RenderPolicy
    private var quick: Track
    private var slow: Track
    private var running: [Ticket: Running] = [:]
    private var next: Ticket = 0
    /// Quick renders with a smaller ticket waited for a borrower and start before the next one.
    private var turnOfQuick: Ticket = 0
    private(set) var isClosed = false

    init(_ policy: RenderPolicy) {
        self.policy = policy
        quick = Track(idle: policy.threads, free: policy.share(.quick))
        slow = Track(idle: policy.threads, free: policy.share(.slow))
    }

    /// Queues a job.
    ///
    /// - Parameters:
    ///   - bytes: size of the original, which is held while the job is queued.
    ///   - isOfRun: whether no client waits for it. The limits of the queue are for clients' jobs.
    /// - Throws: ``ImagingError/overLimit(reason:)`` if it would never fit,
    ///   ``ImagingError/overloaded`` if the queue is full, ``ImagingError/stopped`` after `close()`.
    mutating func add(
        _ cost: RenderCost, bytes: Int, isOfRun: Bool = false, at now: ContinuousClock.Instant
    ) throws(ImagingError) -> Ticket {
        if isClosed { throw .stopped }
        try policy.check(cost)
        defer { assert(isBalanced, "free and running are not all") }
        let ticket = next
        let policy = policy
        let held = quick.clients.held + slow.clients.held
        if !isOfRun, held > 0, held + bytes > policy.queueMemory { throw .overloaded }
        let isFull = update(policy.lane(of: cost)) { track in
            let entry = Waiting(
                peak: cost.peak, side: cost.side, limit: cost.limit ?? policy.deadline,
                bytes: bytes, since: now)
            if isOfRun {
                track.runs.insert(ticket, entry)
                return false
            }
            if track.clients.waiting.count >= policy.queueLimit + track.idle { return true }
            track.clients.insert(ticket, entry)
            return false
        }
        if isFull { throw .overloaded }
        next += 1
        return ticket
    }

    /// Starts the next job on an idle thread of a lane; nil if none is queued or the first doesn't
    /// fit yet.
    mutating func start(
        _ lane: RenderLane, at now: ContinuousClock.Instant
    ) -> RenderTurn? {
        guard let (ticket, entry) = startable(lane) else { return nil }
        assert(running[ticket] == nil, "a job starts twice")
        defer { assert(isBalanced, "free and running are not all after a start") }
        let borrowed = lane == .slow ? max(0, entry.peak - policy.share(.slow)) : 0
        quick.free -= borrowed
        let free = update(lane) { track in
            _ = track.remove(ticket)
            track.idle -= 1
            track.free -= entry.peak - borrowed
            assert(track.idle >= 0, "a job starts without a thread")
            assert(track.free >= 0, "a job starts without memory")
            return track.free
        }
        let others = entry.side > 0 ? max(0, min(unused - 1, free / entry.side)) : 0
        update(lane) { $0.free -= others * entry.side }
        assert(quick.free >= 0 && slow.free >= 0, "a job's threads have no memory")
        running[ticket] = Running(
            lane: lane, peak: entry.peak + others * entry.side, limit: entry.limit, since: now,
            threads: 1 + others, borrowed: borrowed)
        return RenderTurn(
            ticket: ticket, queued: entry.since.duration(to: now), lane: lane, threads: 1 + others)
    }

    /// Threads that no render uses or waits for.
    private var unused: Int {
        running.values.reduce(policy.threads - quick.count - slow.count) { $0 - $1.threads }
    }

    /// Returns whether an idle thread could start a job.
    mutating func hasWork(_ lane: RenderLane) -> Bool { startable(lane) != nil }

    /// Returns the job that has been queued longest, if a thread and memory are free for it.
    private mutating func startable(_ lane: RenderLane) -> (Ticket, Waiting)? {
        let end = next
        let first = update(lane) { $0.idle > 0 ? $0.first(before: end) : nil }
        guard let (ticket, entry) = first else { return nil }
        let fits =
            switch lane {
            case .quick:
                entry.peak <= quick.free - (ticket < turnOfQuick ? 0 : wantedOfQuick)
            case .slow where entry.peak > policy.share(.slow):
                wantedOfQuick > 0 && wantedOfQuick <= quick.free && !isTurnOfQuick
            case .slow: entry.peak <= slow.free
            }
        return fits ? (ticket, entry) : nil
    }

    /// Lets a job of a run start like a client's. Returns false if it is not queued any more.
    mutating func raise(_ ticket: Ticket) -> Bool {
        defer { assert(isBalanced, "a raised job is lost") }
        return quick.raise(ticket) || slow.raise(ticket)
    }

    /// Bytes that the next slow render is about to borrow; 0 while others run in its lane. A run's borrows
    /// nothing while a client waits for a quick one.
    private var wantedOfQuick: Int {
        mutating get {
            let share = policy.share(.slow)
            guard slow.free == share, let (_, entry) = slow.first(before: next),
                !slow.clients.waiting.isEmpty || quick.clients.waiting.isEmpty
            else { return 0 }
            return max(0, entry.peak - share)
        }
    }

    /// Whether a quick render is still queued that waited for the last borrower.
    private var isTurnOfQuick: Bool {
        mutating get { quick.first(before: next).map { $0.0 < turnOfQuick } ?? false }
    }

    mutating func end(_ ticket: Ticket) {
        guard let job = running.removeValue(forKey: ticket) else { return }
        defer { assert(isBalanced, "free and running are not all after an end") }
        if job.borrowed > 0 {
            quick.free += job.borrowed
            turnOfQuick = next
        }
        update(job.lane) { track in
            track.free += job.peak - job.borrowed
            track.idle += 1
        }
    }

    /// Whether what is free and what runs is all that a lane has, of threads and of memory.
    private var isBalanced: Bool {
        RenderLane.allCases.allSatisfy { lane in
            let track = lane == .quick ? quick : slow
            let own = running.values.filter { $0.lane == lane }
            let lent = lane == .quick ? running.values.reduce(0) { $0 + $1.borrowed } : 0
            let used = own.reduce(0) { $0 + $1.peak - $1.borrowed }
            return track.idle >= 0 && track.idle + own.count == policy.threads
                && track.free >= 0 && track.free + used + lent == policy.share(lane)
        }
    }

    /// Removes a queued job; returns false if it has started or is unknown.
    mutating func cancel(_ ticket: Ticket) -> Bool {
        assert(
            running[ticket] == nil || !(quick.tickets + slow.tickets).contains(ticket),
            "a job runs and is queued")
        return quick.remove(ticket) != nil || slow.remove(ticket) != nil
    }

    func load(at now: ContinuousClock.Instant) -> RenderLoad {
        RenderLoad(
            quickWaiting: quick.clients.waiting.count, slowWaiting: slow.clients.waiting.count,
            runsWaiting: quick.runs.waiting.count + slow.runs.waiting.count,
            running: running.count, overdue: running.values.count { isOverdue($0, now) },
            oldest: running.values.map(\.since).min().map { $0.duration(to: now) },
            memory: running.values.reduce(0) { $0 + $1.peak }, memoryLimit: policy.memory,
            threads: policy.threads)
    }

    /// Refuses new jobs from now on; returns the queued ones.
    mutating func close() -> [Ticket] {
        isClosed = true
        defer {
            (quick.clients, quick.runs) = (Line(), Line())
            (slow.clients, slow.runs) = (Line(), Line())
        }
        return quick.tickets + slow.tickets
    }

    private func isOverdue(_ job: Running, _ now: ContinuousClock.Instant) -> Bool {
        job.since.duration(to: now) > job.limit * RenderDeadline.clockFactor + policy.grace
    }

    private mutating func update<Value>(
        _ lane: RenderLane, _ body: (inout Track) -> Value
    ) -> Value {
        switch lane {
        case .quick: body(&quick)
        case .slow: body(&slow)
        }
    }
}

/// What a render gets when it starts.
struct RenderTurn: Sendable {
    let ticket: RenderSchedule.Ticket
    /// Time in the queue.
    let queued: Duration
    let lane: RenderLane
    /// How many threads it may use, its own among them.
    let threads: Int
}

/// The current load of the render threads.
package struct RenderLoad: Sendable, Equatable {
    /// Queued renders of the quick lane that clients wait for.
    package var quickWaiting: Int
    /// Queued renders of the slow lane that clients wait for.
    package var slowWaiting: Int
    /// Queued renders of runs, which start after all others.
    package var runsWaiting: Int
    package var running: Int
    /// Running renders past their deadline that didn't stop.
    package var overdue: Int
    /// Age of the oldest running render; nil if none runs.
    package var oldest: Duration?
    /// Predicted bytes of the running renders.
    package var memory: Int
    /// `imaging.memory`.
    package var memoryLimit: Int
    /// Threads per lane.
    package var threads: Int

    /// Whether as many renders hang as can be replaced. Then the process should be replaced.
    package var isStuck: Bool { overdue >= threads }
}
