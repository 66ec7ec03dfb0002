import Synchronization

/// A bounded number of bytes or open files that any number of threads take and give back.
package final class Room: Sendable {
    /// What was taken, until the last reference is gone.
    package final class Hold: Sendable {
        private let room: Room
        private let count: Int
        /// Whose it is; nil if it is the room's own.
        private let lender: Lender?

        fileprivate init(_ room: Room, _ count: Int, _ lender: Lender? = nil) {
            self.room = room
            self.count = count
            self.lender = lender
        }

        deinit {
            if let lender {
                room.borrowed.subtract(count, ordering: .relaxed)
                lender.give()
            } else {
                room.give(count)
            }
            StateChange.tell()
            room.wakeFirst()
        }
    }

    /// Another bound, which lends what it has free, one at a time.
    package struct Lender: Sendable {
        fileprivate let take: @Sendable () -> Bool
        fileprivate let give: @Sendable () -> Void

        /// - Parameters:
        ///   - take: returns whether it lends one.
        ///   - give: takes one back.
        package init(
            take: @escaping @Sendable () -> Bool, give: @escaping @Sendable () -> Void
        ) {
            (self.take, self.give) = (take, give)
        }

        /// Lends what a room has free.
        ///
        /// - Parameter makeRoom: is called if nothing is free, and may have some of it given back.
        package init(_ room: Room, makeRoom: @escaping @Sendable () -> Void) {
            take = {
                if room.lends() { return true }
                makeRoom()
                return room.lends()
            }
            give = {
                room.lent.subtract(1, ordering: .relaxed)
                room.give(1)
            }
        }
    }

    package let limit: Int
    private let count = Atomic(0)
    private let borrowed = Atomic(0)
    private let lent = Atomic(0)
    private let lenders = Mutex<[Lender]>([])
    /// Callers that wait, the first first, and how many.
    private let waiters = Mutex<[RoomWaiter]>([])
    private let waiting = Atomic(0)

    package init(limit: Int) { self.limit = limit }

    /// What is taken, with what is borrowed and without what is lent.
    package var taken: Int {
        count.load(ordering: .relaxed) + borrowed.load(ordering: .relaxed)
            - lent.load(ordering: .relaxed)
    }

    /// Callers that wait.
    package var waitingCount: Int { waiting.load(ordering: .relaxed) }

    /// Takes one at a time from another bound once the limit is reached and earlier lenders have none.
    package func borrow(from lender: Lender) { lenders.withLock { $0.append(lender) } }

    /// Returns nil if the limit would be exceeded, and nothing is lent. Never waits.
    package func take(_ count: Int) -> Hold? {
        if takes(count) { return Hold(self, count) }
        guard count == 1 else { return nil }
        guard let lender = lenders.withLock({ $0 }).first(where: { $0.take() }) else { return nil }
        borrowed.add(1, ordering: .relaxed)
        return Hold(self, 1, lender)
    }

    /// Takes one. Waits for it at most that long, behind callers that wait already. Returns nil after that
    /// time, or if the task is canceled.
    package func take(within limit: Duration) async -> Hold? {
        let end = ContinuousClock.now + limit
        var wasFirst = false
        while true {
            let waiter = RoomWaiter()
            // Before it looks, so that what is given back from then on wakes it.
            let isFirst = queue(waiter, first: wasFirst)
            var hold = isFirst ? take(1) : nil
            if hold == nil {
                await waiter.wait(until: end)
                hold = take(1)
            }
            leave(waiter)
            if let hold {
                // It may have been woken for what another caller gets now.
                wakeFirst()
                return hold
            }
            if Task.isCancelled || ContinuousClock.now >= end { return nil }
            wasFirst = true
        }
    }

    private func takes(_ count: Int) -> Bool {
        var seen = self.count.load(ordering: .relaxed)
        while seen + count <= limit {
            let (isTaken, now) = self.count.weakCompareExchange(
                expected: seen, desired: seen + count, ordering: .sequentiallyConsistent)
            if isTaken { return true }
            seen = now
        }
        return false
    }

    private func lends() -> Bool {
        guard takes(1) else { return false }
        lent.add(1, ordering: .relaxed)
        return true
    }

    private func give(_ count: Int) {
        let left = self.count.subtract(count, ordering: .sequentiallyConsistent).newValue
        assert(left >= 0, "more is given back than was taken")
    }

    // MARK: Waiting

    /// Returns whether it is the first. One that was woken in vain keeps its place.
    private func queue(_ waiter: RoomWaiter, first isWoken: Bool) -> Bool {
        defer { StateChange.tell() }
        return change { waiters in
            waiters.insert(waiter, at: isWoken ? 0 : waiters.count)
            return waiters[0] === waiter
        }
    }

    private func leave(_ waiter: RoomWaiter) { change { $0.removeAll { $0 === waiter } } }

    private func change<Result: Sendable>(
        _ body: (inout [RoomWaiter]) -> Result
    ) -> Result {
        waiters.withLock { waiters in
            defer { waiting.store(waiters.count, ordering: .sequentiallyConsistent) }
            return body(&waiters)
        }
    }

    /// Wakes the caller that has waited for longest.
    private func wakeFirst() {
        guard waiting.load(ordering: .sequentiallyConsistent) > 0 else { return }
        change { $0.isEmpty ? nil : $0.removeFirst() }?.wake()
    }
}

/// A caller that waits for room.
private final class RoomWaiter: Sendable {
    private struct State {
        var isWoken = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func wake() {
        let continuation = state.withLock { state in
            defer { state = State(isWoken: true) }
            return state.continuation
        }
        continuation?.resume()
    }

    /// Returns once it is woken, at that time, or if the task is canceled.
    func wait(until end: ContinuousClock.Instant) async {
        // Unstructured, because the wait may end before it.
        let timer = Task { [self] in
            // Sleeping fails only if the wait has ended.
            if (try? await Task.sleep(until: end, clock: .continuous)) != nil { wake() }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWoken = state.withLock { state in
                    if !state.isWoken { state.continuation = continuation }
                    return state.isWoken
                }
                if isWoken { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
        timer.cancel()
    }
}
