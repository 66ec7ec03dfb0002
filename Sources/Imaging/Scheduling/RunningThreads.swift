import Synchronization
import Threads

/// Counts running threads and lets callers wait until none is left.
final class RunningThreads: Sendable {
    private let state: Mutex<(running: Int, isClosed: Bool)>
    private let end = Latch<Void>()

    init(_ count: Int) {
        state = Mutex((count, false))
    }

    func closeOnce(_ close: () -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { close() }
    }

    func threadEnded() {
        let isLast = state.withLock { state in
            state.running -= 1
            return state.running == 0
        }
        if isLast { end.set(()) }
    }

    func allEnded() async { await end.value() }
}
