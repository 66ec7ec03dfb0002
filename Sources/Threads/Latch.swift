import Synchronization

/// A value that comes once, and tasks that wait for it. Any thread.
package final class Latch<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Value, Never>])
        case set(Value)
    }

    private let state = Mutex(State.waiting([]))

    package init() {}

    /// Sets the value. Later calls change nothing. Returns whether this was the first.
    @discardableResult package func set(_ value: Value) -> Bool {
        let waiting: [CheckedContinuation<Value, Never>]? = state.withLock { state in
            guard case .waiting(let waiting) = state else { return nil }
            state = .set(value)
            return waiting
        }
        for one in waiting ?? [] { one.resume(returning: value) }
        return waiting != nil
    }

    /// Returns the value once it is set.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let known: Value? = state.withLock { state in
                switch state {
                case .set(let value): return value
                case .waiting(let waiting):
                    state = .waiting(waiting + [continuation])
                    return nil
                }
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
