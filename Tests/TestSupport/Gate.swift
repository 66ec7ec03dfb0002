import Synchronization

/// A gate that a test opens once. It stays open.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var last = 0
        var waiting: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isOpen = true
            return state.waiting.sorted { $0.key < $1.key }
        }
        waiting.forEach { $0.value() }
    }

    /// Calls `then` when it is open: now, or on the thread that opens it.
    func whenOpen(_ then: @escaping @Sendable () -> Void) { add(number(), then) }

    /// Returns when it is open or the task is canceled.
    package func wait() async {
        let number = number()
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                add(number) { waiter.resume() }
                // Canceled before it waited, the handler found nothing to call.
                if Task.isCancelled { call(number) }
            }
        } onCancel: {
            call(number)
        }
    }

    private func number() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    private func add(_ number: Int, _ then: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting[number] = then }
            return state.isOpen
        }
        if isOpen { then() }
    }

    private func call(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?()
    }
}
