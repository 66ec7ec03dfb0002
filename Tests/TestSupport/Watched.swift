import Synchronization

/// A value that changes under who waits for it to be in some way.
final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var watches:
            [(isMet: @Sendable (Value) -> Bool, waiter: CheckedContinuation<Void, Never>)] =
                []
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    func change(_ change: (inout Value) -> Void) {
        let met = state.withLock { state in
            change(&state.value)
            let value = state.value
            let met = state.watches.filter { $0.isMet(value) }
            state.watches.removeAll { $0.isMet(value) }
            return met
        }
        met.forEach { $0.waiter.resume() }
    }

    /// The value, once it is like that.
    func wait(_ isMet: @escaping @Sendable (Value) -> Bool) async -> Value {
        await withCheckedContinuation { waiter in
            let isDone = state.withLock { state in
                if isMet(state.value) { return true }
                state.watches.append((isMet, waiter))
                return false
            }
            if isDone { waiter.resume() }
        }
        return state.withLock { $0.value }
    }
}
