/// Which render starts when: a pure state machine that owns no thread and reads no clock.
///
/// Each lane is first come first served and has a share of the one memory budget, so neither waits
/// for the other, and no picture is passed for ever by smaller ones behind it.
///
/// A slow render that needs more than the slow share starts when no other slow one runs, and borrows
/// the rest from the quick share: quick renders that don't fit beside it wait until it ends. Those
/// that wait by then all start before the next one borrows, so each waits for one borrower at most.
struct RenderSchedule {
    /// Numbers jobs in the order they came.
    typealias Ticket = UInt64

    private struct Waiting {
        var peak: Int
        var limit: Duration
        var bytes: Int
        var since: ContinuousClock.Instant
    }

    private struct Running {
        var lane: RenderCost.Lane
        var peak: Int
        var limit: Duration
        var since: ContinuousClock.Instant
        var isOverdue = false
        var isReplaced = false
        /// Bytes of the peak that belong to the quick share.
        var borrowed = 0
    }

    private struct Track {
        var waiting: [Ticket: Waiting] = [:]
        /// No smaller ticket waits.
        var oldest: Ticket = 0
        /// Threads without a job: what they will take doesn't wait.
        var idle: Int
        /// Of the budget, not in use.
        var free: Int
        /// Of the originals that wait.
        var held = 0

        /// The one that has waited longest.
        mutating func first(before end: Ticket) -> (Ticket, Waiting)? {
            while oldest < end {
                if let entry = waiting[oldest] { return (oldest, entry) }
                oldest += 1
            }
            return nil
        }

        mutating func remove(_ ticket: Ticket) -> Waiting? {
            guard let entry = waiting.removeValue(forKey: ticket) else { return nil }
            held -= entry.bytes
            return entry
        }
    }

    /// A job that hangs.
    struct Overdue: Equatable {
        var ticket: Ticket
        var lane: RenderCost.Lane
        var limit: Duration
        /// Whether a thread is to take the place of its own.
        var isReplaced: Bool
    }

    /// What a thread does when its job has ended.
    enum After: Equatable {
        case goOn
        /// Another took its place while it hung.
        case end
        /// It hung and had been given up, without another in its place.
        case comeBack
    }

    let policy: RenderPolicy
    private var quick: Track
    private var slow: Track
    private var running: [Ticket: Running] = [:]
    private var next: Ticket = 0
    private var replaced = 0
    /// Quick renders with a smaller ticket waited for one that borrowed: none borrows before them.
    private var turnOfQuick: Ticket = 0
    private(set) var isClosed = false

    init(_ policy: RenderPolicy) {
        self.policy = policy
        quick = Track(idle: policy.threads, free: policy.share(.quick))
        slow = Track(idle: policy.threads, free: policy.share(.slow))
    }

    /// Takes a job in, or says why not: one that never fits, or one too many.
    ///
    /// - Parameter bytes: of the original, which is held while it waits.
    mutating func add(
        _ cost: RenderCost, bytes: Int, at now: ContinuousClock.Instant
    ) throws(ImagingError) -> Ticket {
        if isClosed { throw .stopped }
        try policy.check(cost)
        let ticket = next
        let policy = policy
        let held = quick.held + slow.held
        if held > 0, held + bytes > policy.queueMemory { throw .overloaded }
        let isFull = update(cost.lane) { track in
            if track.waiting.count >= policy.queueLimit + track.idle { return true }
            track.waiting[ticket] = Waiting(
                peak: cost.peak, limit: cost.limit ?? policy.deadline, bytes: bytes, since: now)
            track.held += bytes
            return false
        }
        if isFull { throw .overloaded }
        next += 1
        return ticket
    }

    /// The next job for an idle thread of a lane; nil where none waits, or the first doesn't fit yet.
    mutating func start(
        _ lane: RenderCost.Lane, at now: ContinuousClock.Instant
    ) -> (ticket: Ticket, queued: Duration)? {
        guard let (ticket, entry) = startable(lane) else { return nil }
        let borrowed = lane == .slow ? max(0, entry.peak - policy.share(.slow)) : 0
        quick.free -= borrowed
        update(lane) { track in
            _ = track.remove(ticket)
            track.idle -= 1
            track.free -= entry.peak - borrowed
        }
        running[ticket] = Running(
            lane: lane, peak: entry.peak, limit: entry.limit, since: now, borrowed: borrowed)
        return (ticket, entry.since.duration(to: now))
    }

    /// Whether an idle thread could take something.
    mutating func hasWork(_ lane: RenderCost.Lane) -> Bool { startable(lane) != nil }

    /// The one that has waited longest, where a thread and its memory are free.
    private mutating func startable(_ lane: RenderCost.Lane) -> (Ticket, Waiting)? {
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

    /// Bytes that the next slow render is about to borrow; 0 while others run in its lane.
    private var wantedOfQuick: Int {
        mutating get {
            let share = policy.share(.slow)
            guard slow.free == share, let (_, entry) = slow.first(before: next) else { return 0 }
            return max(0, entry.peak - share)
        }
    }

    /// Whether a quick render waits that waited for the last one that borrowed.
    private var isTurnOfQuick: Bool {
        mutating get { quick.first(before: next).map { $0.0 < turnOfQuick } ?? false }
    }

    mutating func end(_ ticket: Ticket) -> After {
        guard let job = running.removeValue(forKey: ticket) else { return .goOn }
        if job.borrowed > 0 {
            quick.free += job.borrowed
            turnOfQuick = next
        }
        update(job.lane) { track in
            track.free += job.peak - job.borrowed
            // The one in its place is counted.
            if !job.isReplaced { track.idle += 1 }
        }
        if job.isReplaced {
            replaced -= 1
            return .end
        }
        return job.isOverdue ? .comeBack : .goOn
    }

    /// Takes a job out that hasn't started; false where it has, or was never there.
    mutating func cancel(_ ticket: Ticket) -> Bool {
        quick.remove(ticket) != nil || slow.remove(ticket) != nil
    }

    /// Jobs that are found to be over their time now, once each.
    mutating func findOverdue(
        at now: ContinuousClock.Instant
    ) -> [Overdue] {
        let late = running.filter { !$0.value.isOverdue && isOverdue($0.value, now) }
        return late.sorted { $0.key < $1.key }.map { ticket, job in
            let isReplaced = !isClosed && replaced < policy.threads
            running[ticket]?.isOverdue = true
            running[ticket]?.isReplaced = isReplaced
            if isReplaced {
                replaced += 1
                update(job.lane) { $0.idle += 1 }
            }
            return Overdue(
                ticket: ticket, lane: job.lane, limit: job.limit, isReplaced: isReplaced)
        }
    }

    var isRunning: Bool { !running.isEmpty }
    /// Whether anything runs that isn't known to be over its time.
    var hasOthersThanOverdue: Bool { running.values.contains { !$0.isOverdue } }

    func load(at now: ContinuousClock.Instant) -> RenderLoad {
        RenderLoad(
            quickWaiting: quick.waiting.count, slowWaiting: slow.waiting.count,
            running: running.count, overdue: running.values.count { isOverdue($0, now) },
            oldest: running.values.map(\.since).min().map { $0.duration(to: now) },
            memory: running.values.reduce(0) { $0 + $1.peak }, memoryLimit: policy.memory,
            threads: policy.threads)
    }

    /// Nothing comes in any more; returns what waited.
    mutating func close() -> [Ticket] {
        isClosed = true
        defer {
            quick.waiting = [:]
            slow.waiting = [:]
        }
        return Array(quick.waiting.keys) + Array(slow.waiting.keys)
    }

    private func isOverdue(_ job: Running, _ now: ContinuousClock.Instant) -> Bool {
        job.since.duration(to: now) > job.limit * RenderPolicy.patience + policy.grace
    }

    private mutating func update<Value>(
        _ lane: RenderCost.Lane, _ body: (inout Track) -> Value
    ) -> Value {
        switch lane {
        case .quick: body(&quick)
        case .slow: body(&slow)
        }
    }
}
