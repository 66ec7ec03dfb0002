import Hashing
import Synchronization
import Threads

/// Makes sure that one process at a time works on a key, among all that use the cache.
///
/// A claim is a lock on one byte of `v2/claims`, at an offset that the key selects (``ByteLocks``).
/// Callers in one process join equal work themselves. Any thread.
package final class Claims: Sendable {
    /// Held until it is released or its last reference goes.
    package final class Claim: Sendable {
        /// Whether another process had it before.
        package let wasAwaited: Bool
        private let locks: ByteLocks
        private let offset: Int

        fileprivate init(_ locks: ByteLocks, _ offset: Int, wasAwaited: Bool) {
            self.locks = locks
            self.offset = offset
            self.wasAwaited = wasAwaited
        }

        deinit { locks.release(offset) }
    }

    /// What is left of the time that a request may wait for all its claims.
    private final class Allowance: Sendable {
        let left: Mutex<Duration>

        init(_ left: Duration) { self.left = Mutex(left) }
    }

    @TaskLocal private static var allowance: Allowance?

    /// Pauses between two attempts, doubled up to the longest.
    private static let minPause = Duration.milliseconds(5)
    private static let maxPause = Duration.milliseconds(100)
    /// A process that holds a claim for longer hangs. Working twice is better than waiting for it.
    package static let patience = Duration.seconds(30)

    private let locks: ByteLocks
    private let calls = Counter()

    init(_ layout: StoreLayout) { locks = ByteLocks(layout) }

    /// Shows the processes that use the cache whether clients of this one wait for pictures, so that their
    /// runs let these go first. Without locks on the disk, no process sees it.
    package func show(clientsWait: Bool) {
        if clientsWait {
            _ = locks.take(Self.clients, isShared: true)
        } else {
            locks.release(Self.clients)
        }
    }

    /// Whether clients of another process wait for pictures.
    package var clientsWaitElsewhere: Bool { locks.isElsewhere(Self.clients) }

    /// The byte that is locked while clients wait. The claims of keys are anywhere below.
    private static let clients = Int.max - 1

    /// Number of calls that wait for another process.
    package var waiting: Int { calls.value }

    /// Runs `body`, whose claims wait no longer than `patience` all together. Within another call, that
    /// one's patience holds.
    package static func withPatience<Value>(
        _ patience: Duration = patience, _ body: () async throws -> Value
    ) async rethrows -> Value {
        if allowance != nil { return try await body() }
        return try await $allowance.withValue(Allowance(patience), operation: body)
    }

    /// Returns a claim on the key once no other process has one. Returns nil after `patience`, and if
    /// the disk has no locks: then the caller works without.
    ///
    /// - Throws: `CancellationError`.
    package func claim(_ key: String, patience: Duration = patience) async throws -> Claim? {
        let offset = Self.offset(of: key)
        guard let isTaken = locks.take(offset) else { return nil }
        if isTaken { return Claim(locks, offset, wasAwaited: false) }
        wait(1)
        defer { wait(-1) }
        let allowance = Self.allowance
        let begin = ContinuousClock.now
        let deadline = begin + min(patience, allowance?.left.withLock(\.self) ?? patience)
        defer { allowance?.left.withLock { $0 -= ContinuousClock.now - begin } }
        var pause = Self.minPause
        while ContinuousClock.now < deadline {
            try await Task.sleep(for: min(pause, deadline - ContinuousClock.now))
            pause = min(pause * 2, Self.maxPause)
            guard let isTaken = locks.take(offset) else { return nil }
            if isTaken { return Claim(locks, offset, wasAwaited: true) }
        }
        return nil
    }

    /// Returns a claim on the key if no other process has one now.
    package func claimNow(_ key: String) -> Claim? {
        let offset = Self.offset(of: key)
        guard locks.take(offset) == true else { return nil }
        return Claim(locks, offset, wasAwaited: false)
    }

    private func wait(_ change: Int) {
        calls.add(change)
        StateChange.tell()
    }

    private static func offset(of key: String) -> Int {
        Int(truncatingIfNeeded: Digest(of: Array(key.utf8)).words.0 >> 2)
    }
}
