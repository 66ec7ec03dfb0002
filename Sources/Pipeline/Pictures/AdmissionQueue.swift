import Catalog
import Fetch
import Synchronization
import Threads

/// Limits concurrent work, with fair shares of the places and of the queue in front of them. A
/// share that takes too much of the queue is rejected, with the seconds after which to retry. Any
/// thread.
final class AdmissionQueue: Sendable {
    typealias Share = FairQueue.Share
    typealias Ticket = FairQueue.Ticket

    /// How a member gets a place.
    enum Mode: Sendable {
        /// Queues if no place is free.
        case queued
        /// Needs a free place or is rejected, for work that no caller waits for.
        case ifFree
    }

    private struct Waker {
        /// A waiter's number; nil for a callback.
        var number: UInt64?
        /// Tells a waiter whether its member has a place. A callback is called if it has; it then calls
        /// `take` again.
        var resume: @Sendable (_ hasPlace: Bool) -> Void
    }

    private struct State {
        var queue: FairQueue
        var lastTicket: Ticket = 0
        var lastWaiter: UInt64 = 0
        var wakers: [Ticket: [Waker]] = [:]
        var onEviction: [Ticket: @Sendable () -> Void] = [:]
        /// Members that lost their place in the queue, with the seconds after which to retry.
        var evicted: [Ticket: Int] = [:]

        /// Assigns the free places. Returns the wakers of the members that got one.
        mutating func serve() -> [Waker] {
            var served: [Waker] = []
            while let ticket = queue.next() {
                assert(
                    wakers[ticket]?.isEmpty == false,
                    "a place is given to a member that waits for none")
                served += wakers.removeValue(forKey: ticket) ?? []
            }
            return served
        }
    }

    private let state: Mutex<State>

    init(places: Int, line: Int) {
        state = Mutex(State(queue: FairQueue(places: places, line: line)))
    }

    deinit {
        state.withLock { state in
            assert(state.queue.holding == 0 && state.queue.waiting == 0, "a member has not left")
            assert(state.wakers.isEmpty, "a caller still waits for a place")
            assert(state.onEviction.isEmpty && state.evicted.isEmpty, "a member is gone and kept")
        }
    }

    /// Number of members with a place, and of members without one.
    var load: (running: Int, waiting: Int) {
        state.withLock { ($0.queue.holding, $0.queue.waiting) }
    }

    /// Runs `work` in a place. A canceled caller leaves the queue.
    ///
    /// - Throws: ``Failure`` of kind `overloaded` if the queue has no room; `CancellationError`;
    ///   what `work` throws.
    func run<Value>(
        _ share: Share, _ mode: Mode = .queued, _ work: () async throws -> Value
    ) async throws -> Value {
        let visit = try enter(share, mode, holding: mode == .ifFree)
        defer { withExtendedLifetime(visit) {} }
        try await visit.hold()
        return try await work()
    }

    /// Runs `work`, which takes a place through its visit once it holds resources. It is canceled
    /// if its share takes too much of the queue.
    ///
    /// - Parameter executor: Runs the work; nil for Swift's own threads.
    /// - Throws: as ``run(_:_:_:)``; `overloaded` also if it was canceled for its share.
    func visit<Value: Sendable>(
        _ share: Share, _ mode: Mode, on executor: (any TaskExecutor)? = nil,
        _ work: @escaping @Sendable (Visit) async throws -> Value
    ) async throws -> Value {
        let visit = try enter(share, mode, holding: false)
        let task = Task(executorPreference: executor) { try await work(visit) }
        whenEvicted(visit.ticket) { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        if case .failure = result { try check(visit.ticket) }
        return try result.get()
    }

    private func enter(_ share: Share, _ mode: Mode, holding: Bool) throws -> Visit {
        let (ticket, evict) = try state.withLock { state in
            guard mode == .queued || state.queue.isOpen(to: share) && !state.queue.isFull else {
                throw Failure.overloaded(retryAfter: state.queue.retryAfter(share))
            }
            state.lastTicket += 1
            let ticket = state.lastTicket
            var evict: (lost: [Waker], call: (@Sendable () -> Void)?) = ([], nil)
            switch state.queue.enter(ticket, share) {
            case .entered: break
            case .refused:
                throw Failure.overloaded(retryAfter: state.queue.retryAfter(share))
            case .enteredInsteadOf(let victim, let loser):
                state.evicted[victim] = state.queue.retryAfter(loser)
                evict = (
                    state.wakers.removeValue(forKey: victim) ?? [],
                    state.onEviction.removeValue(forKey: victim)
                )
            }
            if holding { _ = state.queue.want(ticket) }
            assert(!holding || state.queue.isHolding(ticket), "a free place is not given")
            return (ticket, evict)
        }
        StateChange.tell()
        for waker in evict.lost { waker.resume(false) }
        evict.call?()
        return Visit(ticket, self)
    }

    private func whenEvicted(_ ticket: Ticket, _ call: @escaping @Sendable () -> Void) {
        let isOut = state.withLock { state in
            if state.evicted[ticket] != nil { return true }
            state.onEviction[ticket] = call
            return false
        }
        if isOut { call() }
    }

    private func check(_ ticket: Ticket) throws {
        if let seconds = state.withLock({ $0.evicted[ticket] }) {
            throw Failure.overloaded(retryAfter: seconds)
        }
    }

    private func tell(_ wakers: [Waker]) {
        StateChange.tell()
        for waker in wakers { waker.resume(true) }
    }

    fileprivate func take(_ ticket: Ticket, orWake wake: @escaping @Sendable () -> Void) -> Bool {
        defer { StateChange.tell() }
        return state.withLock { state in
            // This member's miss is being canceled. If the transfer continues, another miss needs
            // it.
            guard state.queue.isIn(ticket) else { return true }
            if state.queue.want(ticket) { return true }
            // A member needs one callback only.
            let others = state.wakers[ticket, default: []].filter { $0.number != nil }
            state.wakers[ticket] = others + [Waker(number: nil) { if $0 { wake() } }]
            return false
        }
    }

    fileprivate func isHolding(_ ticket: Ticket) -> Bool {
        state.withLock { $0.queue.isHolding(ticket) }
    }

    fileprivate func giveBack(_ ticket: Ticket) {
        let served = state.withLock { state in
            let waiters = state.wakers[ticket, default: []].filter { $0.number != nil }
            state.wakers[ticket] = waiters.isEmpty ? nil : waiters
            if waiters.isEmpty { state.queue.giveBack(ticket) }
            return state.serve()
        }
        tell(served)
    }

    fileprivate func hold(_ ticket: Ticket) async throws {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let hasPlace = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Bool? = state.withLock { state in
                    guard state.queue.isIn(ticket) else { return false }
                    if state.queue.want(ticket) { return true }
                    let waker = Waker(number: number) { continuation.resume(returning: $0) }
                    state.wakers[ticket, default: []].append(waker)
                    return nil
                }
                StateChange.tell()
                if let known {
                    continuation.resume(returning: known)
                } else if Task.isCancelled {
                    cancel(ticket, number)
                }
            }
        } onCancel: {
            cancel(ticket, number)
        }
        if hasPlace { return }
        try check(ticket)
        throw CancellationError()
    }

    private func cancel(_ ticket: Ticket, _ number: UInt64) {
        let (waiter, served) = state.withLock { state in
            let all = state.wakers[ticket] ?? []
            guard let index = all.firstIndex(where: { $0.number == number }) else {
                return (Waker?.none, [Waker]())
            }
            let waiter = all[index]
            state.wakers[ticket]?.remove(at: index)
            guard all.count == 1 else { return (waiter, []) }
            state.wakers[ticket] = nil
            state.queue.giveBack(ticket)
            return (waiter, state.serve())
        }
        waiter?.resume(false)
        tell(served)
    }

    fileprivate func leave(_ ticket: Ticket) {
        let served = state.withLock { state in
            state.evicted[ticket] = nil
            state.onEviction[ticket] = nil
            state.wakers[ticket] = nil
            state.queue.leave(ticket, at: .now)
            assert(!state.queue.isIn(ticket), "a member has left and is in")
            return state.serve()
        }
        tell(served)
    }

    /// One caller's membership in the queue. It ends with the last reference to it, so the owner of
    /// the resources that need the place keeps one.
    final class Visit: StartPermit {
        fileprivate let ticket: Ticket
        private let queue: AdmissionQueue

        fileprivate init(_ ticket: Ticket, _ queue: AdmissionQueue) {
            self.ticket = ticket
            self.queue = queue
        }

        deinit { queue.leave(ticket) }

        func take(orWake wake: @escaping @Sendable () -> Void) -> Bool {
            queue.take(ticket, orWake: wake)
        }

        var isHolding: Bool { queue.isHolding(ticket) }

        /// Waits for a place. Returns at once if it has one.
        func hold() async throws { try await queue.hold(ticket) }

        func giveBack() { queue.giveBack(ticket) }
    }
}

extension FairQueue.Share {
    /// Work on a source for the client of the current task.
    init(source: String) {
        self.init(group: source, client: Requester.address)
    }

    /// Work on an item for the client of the current task. Each host of signed URLs has its own
    /// share.
    init(_ item: Item) {
        self.init(source: SignedURL.host(of: item).map { "\(item.source) \($0)" } ?? item.source)
    }
}

/// Runs `work` for the client at `address`. Clients have fair shares of the queues.
///
/// - Parameter address: `nil` if it is not known.
package func withRequester<Value>(
    _ address: String?, _ work: () async throws -> Value
) async rethrows -> Value {
    try await Requester.$address.withValue(address, operation: work)
}
