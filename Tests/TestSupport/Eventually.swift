import Memory

/// Returns once that is so, or when the task is cancelled, as by a limit of time. It is asked again
/// after each change that the product tells, and after ``stateChanged()``.
package func eventually(_ isSo: () async throws -> Bool) async rethrows {
    while !Task.isCancelled {
        let changed = Gate()
        StateChange.onNext { changed.open() }
        if try await isSo() { return }
        await changed.wait()
    }
}

/// Tells those who wait with ``eventually(_:)`` of a change that a test's own double has seen.
package func stateChanged() { StateChange.tell() }

/// Returns when the task is cancelled.
package func untilCancelled() async { await Gate().wait() }
