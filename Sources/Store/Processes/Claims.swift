import Hashing
import Memory
import Synchronization

/// Makes sure that one process at a time works on a key, among all that use the cache.
///
/// A claim is a lock on one byte of `v2/claims`, at an offset that the key selects. The kernel
/// releases the locks of a process that dies. Within a process claims don't exclude each other;
/// callers join equal work themselves. Any thread.
package final class Claims: Sendable {
    /// Held until it is released or its last reference goes.
    package final class Claim: Sendable {
        /// Whether another process had it before.
        package let wasAwaited: Bool
        private let owner: Claims
        private let offset: Int

        fileprivate init(_ owner: Claims, _ offset: Int, wasAwaited: Bool) {
            self.owner = owner
            self.offset = offset
            self.wasAwaited = wasAwaited
        }

        deinit { owner.release(offset) }
    }

    private struct State {
        var file: SharedFile?
        /// Claims on each offset: the lock goes with the last.
        var counts: [Int: Int] = [:]
        var waiting = 0
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

    private let layout: StoreLayout
    private let state = Mutex(State())

    package init(of index: Index) { layout = index.layout }

    init(_ layout: StoreLayout) { self.layout = layout }

    /// Number of calls that wait for another process.
    package var waiting: Int { state.withLock { $0.waiting } }

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
        switch attempt(offset) {
        case .held: return Claim(self, offset, wasAwaited: false)
        case .impossible: return nil
        case .taken: break
        }
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
            switch attempt(offset) {
            case .held: return Claim(self, offset, wasAwaited: true)
            case .impossible: return nil
            case .taken: break
            }
        }
        return nil
    }

    /// Returns a claim on the key if no other process has one now.
    package func claimNow(_ key: String) -> Claim? {
        let offset = Self.offset(of: key)
        guard case .held = attempt(offset) else { return nil }
        return Claim(self, offset, wasAwaited: false)
    }

    private func wait(_ change: Int) {
        state.withLock { $0.waiting += change }
        StateChange.tell()
    }

    private static func offset(of key: String) -> Int {
        Int(truncatingIfNeeded: Digest(of: Array(key.utf8)).words.0 >> 2)
    }

    private enum Outcome {
        case held, taken, impossible
    }

    private func attempt(_ offset: Int) -> Outcome {
        state.withLock { state in
            if let count = state.counts[offset] {
                state.counts[offset] = count + 1
                return .held
            }
            // Claims are in the file that was open when they were made.
            if state.counts.isEmpty {
                state.file = SharedFile.current(state.file, at: layout.claims)
            }
            guard let file = state.file else { return .impossible }
            do throws(Errno) {
                guard try file.lock(offset, .exclusive) else { return .taken }
                state.counts[offset] = 1
                return .held
            } catch {
                return .impossible
            }
        }
    }

    private func release(_ offset: Int) {
        state.withLock { state in
            guard let count = state.counts[offset] else { return }
            if count > 1 {
                state.counts[offset] = count - 1
            } else {
                state.counts[offset] = nil
                state.file?.unlock(offset)
            }
        }
    }
}
