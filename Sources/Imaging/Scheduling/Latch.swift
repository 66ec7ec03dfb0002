import Synchronization

/// Counts running threads and lets callers wait until none is left.
final class Latch: Sendable {
    private struct State {
        var running: Int
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(threads: Int) {
        state = Mutex(State(running: threads))
    }

    func closeOnce(_ close: () -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { close() }
    }

    /// Counts a thread again that had been abandoned.
    func threadCameBack() {
        state.withLock { $0.running += 1 }
    }

    func threadEnded() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.running -= 1
            guard state.running == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func allEnded() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.running > 0 { state.waiters.append(continuation) }
                return state.running == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
