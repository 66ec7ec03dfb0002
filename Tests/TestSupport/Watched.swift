import Synchronization

/// A value whose changes can be waited for.
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

    /// Returns the value once it matches or the task is canceled.
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
