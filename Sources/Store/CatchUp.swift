import Synchronization

/// Retries work with growing pauses until it succeeds, one attempt at a time. Any thread.
final class CatchUp: Sendable {
    private enum State {
        case idle
        case running(Task<Void, Never>)
        case stopped
    }

    private let policy: StorePolicy
    private let state = Mutex(State.idle)

    init(_ policy: StorePolicy) { self.policy = policy }

    deinit {
        if case .running(let task) = state.withLock({ $0 }) { task.cancel() }
    }

    /// Starts the attempts unless they are running. `attempt` returns false while there is more to
    /// do. It must not keep this value's owner alive between two attempts.
    func start(_ attempt: @escaping @Sendable () async -> Bool) {
        state.withLock { state in
            guard case .idle = state else { return }
            // Unstructured, because no caller waits for it.
            state = .running(
                Task { [weak self, policy] in
                    var pause = policy.pause
                    repeat {
                        // Canceled when the store is closed.
                        guard (try? await Task.sleep(for: pause)) != nil else { return }
                        pause = min(pause * 2, policy.maxPause)
                    } while await !attempt()
                    self?.end()
                    // Work may have arrived between the last attempt and the end.
                    if await !attempt() { self?.start(attempt) }
                })
        }
    }

    /// Ends the attempts. None begins afterwards.
    func stop() {
        let task = state.withLock { state -> Task<Void, Never>? in
            defer { state = .stopped }
            if case .running(let task) = state { return task }
            return nil
        }
        task?.cancel()
    }

    private func end() {
        state.withLock { state in
            if case .running = state { state = .idle }
        }
    }
}
