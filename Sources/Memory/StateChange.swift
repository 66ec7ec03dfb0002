import Synchronization

/// Tells whoever waits for a load or a count to change that one has changed: tests wait for such
/// numbers, and asking again and again would keep a processor busy. Where nobody waits a call costs a
/// fence and a load. Any thread.
package enum StateChange {
    private static let isAwaited = Atomic<Bool>(false)
    private static let waiting = Mutex<[@Sendable () -> Void]>([])

    /// Called after the change, outside of the lock that guards it.
    package static func tell() {
        // Between the change and the question whether somebody waits: one of the two sides sees the
        // other. See ``onNext(_:)``.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard isAwaited.load(ordering: .relaxed) else { return }
        let told = waiting.withLock { waiting in
            defer { waiting = [] }
            isAwaited.store(false, ordering: .relaxed)
            return waiting
        }
        told.forEach { $0() }
    }

    /// Calls back once, on the thread of the next change. Whoever waits asks for the state after this.
    package static func onNext(_ then: @escaping @Sendable () -> Void) {
        waiting.withLock { waiting in
            waiting.append(then)
            isAwaited.store(true, ordering: .relaxed)
        }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
}
