import Synchronization

/// Work that runs in the background until it is stopped. Any thread.
package final class BackgroundTask: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    package init() {}

    /// Whether the work was started and not stopped. It may have ended by itself.
    package var isStarted: Bool { task.withLock { $0 != nil } }

    /// Starts the work, unless it is started already.
    package func start(_ work: @escaping @Sendable () async -> Void) {
        task.withLock { task in
            // Unstructured, because no caller waits for it.
            if task == nil { task = Task { await work() } }
        }
    }

    /// Cancels the work and waits for its end. Then it can be started again. Returns whether this call
    /// stopped it: of several callers one does.
    @discardableResult
    package func stop() async -> Bool {
        guard let running = task.withLock({ $0.take() }) else { return false }
        running.cancel()
        await running.value
        return true
    }
}
