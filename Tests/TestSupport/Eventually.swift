import Threads

/// Returns when the condition holds or the task is canceled, such as by a time limit. The condition
/// is checked after each change that the product announces, and after ``stateChanged()``.
package func eventually(_ isSo: () async throws -> Bool) async rethrows {
    while !Task.isCancelled {
        let changed = Gate()
        StateChange.onNext { changed.open() }
        if try await isSo() { return }
        await changed.wait()
    }
}

/// Announces a change of a test double to ``eventually(_:)``.
package func stateChanged() { StateChange.tell() }

/// Returns when the task is canceled.
package func untilCanceled() async { await Gate().wait() }
