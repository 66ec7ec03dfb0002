import Synchronization

/// Announces that a load or a count has changed. Tests wait for such changes instead of polling.
/// Without a waiter a call costs a fence and a load. Any thread.
package enum StateChange {
    private static let isAwaited = Atomic<Bool>(false)
    private static let waiting = Mutex<[@Sendable () -> Void]>([])

    /// Announces a change. Call it after the change, outside of the lock that guards it.
    package static func tell() {
        // Orders the change before the check for waiters, so that either side sees the other. See
        // ``onNext(_:)``.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard isAwaited.load(ordering: .relaxed) else { return }
        let told = waiting.withLock { waiting in
            defer { waiting = [] }
            isAwaited.store(false, ordering: .relaxed)
            return waiting
        }
        told.forEach { $0() }
    }

    /// Calls `then` once, on the thread of the next change. Check the state after this call.
    package static func onNext(_ then: @escaping @Sendable () -> Void) {
        waiting.withLock { waiting in
            waiting.append(then)
            isAwaited.store(true, ordering: .relaxed)
        }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
}
