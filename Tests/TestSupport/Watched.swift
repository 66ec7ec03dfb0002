import Synchronization

/// A value that changes under who waits for it to be in some way.
package final class Watched<Value: Sendable>: Sendable {
    private struct Watch {
        var isMet: @Sendable (Value) -> Bool
        var gate: Gate
    }

    private let state: Mutex<(value: Value, watches: [Watch])>

    package init(_ value: Value) { state = Mutex((value, [])) }

    package var value: Value { state.withLock { $0.value } }

    package func change(_ change: (inout Value) -> Void) {
        let met = state.withLock { state in
            change(&state.value)
            let value = state.value
            let met = state.watches.filter { $0.isMet(value) }
            if !met.isEmpty { state.watches.removeAll { $0.isMet(value) } }
            return met
        }
        met.forEach { $0.gate.open() }
    }

    /// The value, once it is like that, or as it is when the task is cancelled.
    package func wait(_ isMet: @escaping @Sendable (Value) -> Bool) async -> Value {
        let gate = Gate()
        state.withLock { state in
            if isMet(state.value) {
                gate.open()
            } else {
                state.watches.append(Watch(isMet: isMet, gate: gate))
            }
        }
        await gate.wait()
        return value
    }
}
