import Synchronization
import Threads

/// Coalesces equal work: while work for a key is in flight, other callers for the key wait for it.
///
/// An order says what a caller wants from the work. `merge` adds it to the order of the work in
/// flight. If it comes too late, the caller waits for the end of that work and then starts its own.
/// A canceled caller leaves, and the work is canceled after the last caller left. Work can answer
/// some callers before its end. From then on it is not canceled.
///
/// Work that a run started is raised once a client joins it.
package final class InFlight<Key: Hashable & Sendable, Order: Sendable, Value: Sendable>: Sendable {
    /// Adds a newcomer's order to that of the work in flight. Returns false if it comes too late.
    package typealias Merge = @Sendable (inout Order, Order) -> Bool

    private struct Flight {
        var number: UInt64
        var order: Order
        var starter: UInt64
        /// Nil if a client started it.
        var urgency: Urgency?
        var waiters: [UInt64: Waiter] = [:]
        /// Whether a caller was answered before the end.
        var hasAnswered = false
        var task: Task<Void, Never>?
    }

    private struct Waiter {
        var continuation: CheckedContinuation<Landing?, Never>
        /// Nil if it waits only for the work to end.
        var order: Order?
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var lastNumber: UInt64 = 0
        /// Waiters that were canceled before they were added.
        var canceledEarly: Set<UInt64> = []
    }

    /// Number of keys with work in flight.
    var count: Int { state.withLock { $0.flights.count } }

    /// What a caller gets. `joined` is false for the caller that started the work.
    package typealias Landing = (value: Value, joined: Bool)

    /// The merged order, for the running work.
    package struct Orders: Sendable {
        fileprivate let owner: InFlight
        fileprivate let key: Key
        fileprivate let number: UInt64
        fileprivate let initial: Order

        /// Reads and changes the merged order. Later merges see the change.
        func update<Result: Sendable>(
            _ change: @Sendable (inout Order) -> Result
        ) -> Result {
            owner.state.withLock { state in
                guard state.flights[key]?.number == number, var order = state.flights[key]?.order
                else {
                    var order = initial
                    return change(&order)
                }
                let result = change(&order)
                state.flights[key]?.order = order
                return result
            }
        }

        /// Gives a value to the callers whose orders it serves, before the end of the work.
        func answer(_ value: Value, where isServed: (Order) -> Bool) {
            owner.answer(key, number, value, where: isServed)
        }
    }

    private let state = Mutex(State())
    private let merge: Merge
    /// Runs the work; nil for Swift's own threads.
    private let executor: (any TaskExecutor)?

    package init(on executor: (any TaskExecutor)? = nil, merge: @escaping Merge) {
        self.executor = executor
        self.merge = merge
    }

    deinit {
        state.withLock { state in
            assert(
                state.flights.values.allSatisfy(\.waiters.isEmpty), "a caller still waits for work")
            assert(state.canceledEarly.isEmpty, "a canceled caller is remembered for ever")
        }
    }

    /// Returns the value of the work for `key`, which this call starts or joins. Returns `nil` if
    /// the calling task was canceled.
    package func value(
        for key: Key, _ order: Order,
        work: @escaping @Sendable (Orders) async -> Value
    ) async -> Landing? {
        while !Task.isCancelled {
            let id = nextNumber()
            let landing = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    enter(id, key, order, continuation, work)
                }
            } onCancel: {
                leave(id, key)
            }
            forget(id)
            if let landing { return landing }
        }
        return nil
    }

    /// Waits for the end of work that has answered callers already.
    func settled(where isMeant: (Key) -> Bool = { _ in true }) async {
        let open = state.withLock { state in
            state.flights.filter { $1.hasAnswered && isMeant($0) }.mapValues(\.number)
        }
        for (key, number) in open {
            _ = await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.flights[key]?.number == number else { return true }
                    state.lastNumber += 1
                    state.flights[key]?.waiters[state.lastNumber] = Waiter(
                        continuation: continuation)
                    return false
                }
                StateChange.tell()
                if isOver { continuation.resume(returning: nil) }
            }
        }
    }

    /// Removes the mark of a cancellation that came after the landing.
    private func forget(_ id: UInt64) {
        state.withLock { state in _ = state.canceledEarly.remove(id) }
    }

    /// Number of callers that wait for that key now.
    package func waiting(for key: Key) -> Int {
        state.withLock { $0.flights[key]?.waiters.count ?? 0 }
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    private func enter(
        _ id: UInt64, _ key: Key, _ order: Order,
        _ continuation: CheckedContinuation<Landing?, Never>,
        _ work: @escaping @Sendable (Orders) async -> Value
    ) {
        let canceled = state.withLock { state in
            if state.canceledEarly.remove(id) != nil { return true }
            if var flight = state.flights[key] {
                // Also if it comes too late and waits for the end.
                flight.urgency?.join(Urgency.current)
                assert(flight.waiters[id] == nil, "a caller joins work twice")
                assert(
                    !flight.waiters.isEmpty || flight.hasAnswered,
                    "work goes on that no caller waits for")
                let met = merge(&flight.order, order)
                flight.waiters[id] = Waiter(
                    continuation: continuation, order: met ? order : nil)
                state.flights[key] = flight
                return false
            }
            state.lastNumber += 1
            let number = state.lastNumber
            var flight = Flight(
                number: number, order: order, starter: id, urgency: Urgency.current)
            flight.waiters[id] = Waiter(continuation: continuation, order: order)
            let orders = Orders(owner: self, key: key, number: number, initial: order)
            // Unstructured, because the work may outlive the caller that started it.
            flight.task = Task(executorPreference: executor) { [self] in
                let value = await work(orders)
                land(key, number, value)
            }
            state.flights[key] = flight
            return false
        }
        StateChange.tell()
        if canceled { continuation.resume(returning: nil) }
    }

    private func answer(
        _ key: Key, _ number: UInt64, _ value: Value, where isServed: (Order) -> Bool
    ) {
        let (served, starter) = state.withLock { state -> ([UInt64: Waiter], UInt64) in
            guard var flight = state.flights[key], flight.number == number else { return ([:], 0) }
            let served = flight.waiters.filter { $1.order.map(isServed) ?? false }
            if served.isEmpty { return ([:], 0) }
            for id in served.keys { flight.waiters[id] = nil }
            flight.hasAnswered = true
            state.flights[key] = flight
            return (served, flight.starter)
        }
        StateChange.tell()
        resume(served, value, starter)
    }

    private func land(_ key: Key, _ number: UInt64, _ value: Value) {
        let flight = state.withLock { state -> Flight? in
            guard state.flights[key]?.number == number else { return nil }
            assert(state.flights[key]?.task != nil, "work ends that was not started")
            return state.flights.removeValue(forKey: key)
        }
        StateChange.tell()
        guard let flight else { return }
        resume(flight.waiters, value, flight.starter)
    }

    private func resume(_ waiters: [UInt64: Waiter], _ value: Value, _ starter: UInt64) {
        for (id, waiter) in waiters {
            waiter.continuation.resume(
                returning: waiter.order == nil ? nil : (value, id != starter))
        }
    }

    private func leave(_ id: UInt64, _ key: Key) {
        let left = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.flights[key]?.waiters.removeValue(forKey: id) else {
                let isNew = state.canceledEarly.insert(id).inserted
                assert(isNew, "a caller is canceled twice")
                return (nil, nil)
            }
            guard let flight = state.flights[key], flight.waiters.isEmpty, !flight.hasAnswered
            else { return (waiter, nil) }
            state.flights.removeValue(forKey: key)
            return (waiter, flight.task)
        }
        StateChange.tell()
        left.1?.cancel()
        left.0?.continuation.resume(returning: nil)
    }
}

extension InFlight {
    /// Returns what the work for `key` makes, and whether another caller had started it.
    ///
    /// - Throws: what the work throws; `CancellationError` if the calling task was canceled.
    package func made<Made>(
        for key: Key, _ order: Order,
        work: @escaping @Sendable (Orders) async throws -> Made
    ) async throws -> (value: Made, joined: Bool) where Value == Result<Made, any Error> {
        let landing = await value(for: key, order) { orders in
            do {
                return .success(try await work(orders))
            } catch {
                return .failure(error)
            }
        }
        guard let landing else { throw CancellationError() }
        return (try landing.value.get(), landing.joined)
    }
}

extension InFlight where Order == Void {
    package func made<Made>(
        for key: Key, work: @escaping @Sendable () async throws -> Made
    ) async throws -> (value: Made, joined: Bool) where Value == Result<Made, any Error> {
        try await made(for: key, ()) { _ in try await work() }
    }
}
