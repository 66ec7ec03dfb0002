import Foundation

/// Counts how many threads are there at once.
package final class Meeting: @unchecked Sendable {
    // Unchecked because all state is read and written while the condition is locked.
    private let condition = NSCondition()
    private var came = 0
    private var present = 0
    private var mostPresent = 0
    private var missing: String?

    /// Seconds after which a thread no longer waits for the others. Reached only if they don't
    /// come.
    private static let patience = 30.0

    /// The largest number of threads that were there at once.
    package var most: Int { condition.withLock { mostPresent } }

    /// Why the meeting didn't take place, as a sentence; nil if it did.
    package var shortfall: String? { condition.withLock { missing } }

    package init() {}

    /// Blocks the first `count` threads until all of them have come.
    package func attend(first count: Int) {
        condition.withLock {
            came += 1
            present += 1
            mostPresent = max(mostPresent, present)
            condition.broadcast()
            let deadline = Date(timeIntervalSinceNow: Self.patience)
            while came < count {
                guard condition.wait(until: deadline) else {
                    missing = "Only \(came) of \(count) threads came within \(Self.patience) s."
                    break
                }
            }
            // Stays until the next thread comes, or a millisecond: long enough for one too many to
            // be seen, and no event says that none comes.
            let others = came
            let end = Date(timeIntervalSinceNow: 0.001)
            while came == others, condition.wait(until: end) {}
            present -= 1
        }
    }
}
