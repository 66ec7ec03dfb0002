import Synchronization

/// Something that happens when the test says so. Opens once, and stays open.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        waiting.forEach { $0() }
    }

    /// Calls back once it is open: at once, or on the thread that opens it.
    func whenOpen(_ then: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(then) }
            return state.isOpen
        }
        if isOpen { then() }
    }

    package func wait() async {
        await withCheckedContinuation { waiter in whenOpen { waiter.resume() } }
    }
}
