import Synchronization

/// A latch that opens when a thread's work is over. Any task may wait, any thread may announce.
final class Latch: Sendable {
    private struct State {
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func wait() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiters.append(waiter) }
                return state.isOver
            }
            if isOver { waiter.resume() }
        }
    }

    func announce() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.isOver = true
            return state.waiters
        }
        waiters.forEach { $0.resume() }
    }
}
