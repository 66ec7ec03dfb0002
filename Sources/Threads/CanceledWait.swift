import Synchronization

/// A caller's wait for a blocking call, which ends with the call or when the task is canceled.
final class CanceledWait<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var isCanceled = false
    }

    private let state = Mutex(State())

    /// Returns false if the task was canceled before.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            if state.isCanceled { return false }
            state.continuation = continuation
            return true
        }
    }

    /// Returns the caller if it still waits; the same for ``cancel()``.
    func end() -> CheckedContinuation<Value, any Error>? {
        state.withLock { $0.continuation.take() }
    }

    func cancel() -> CheckedContinuation<Value, any Error>? {
        state.withLock { state in
            state.isCanceled = true
            return state.continuation.take()
        }
    }
}
