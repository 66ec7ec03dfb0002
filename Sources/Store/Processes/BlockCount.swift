import Glibc
import Synchronization
import Threads

/// The number of changes of what is blocked by all processes, in ``SharedPage``. A process looks at it before it
/// shows a picture, at most once in ``lease``. Any thread.
///
/// A process that changes the blocks counts that and waits for two leases. From then on no process shows
/// anything without knowing the change. If the file can't be used, no change is noticed.
package final class BlockCount: Sendable {
    /// How long a look counts, in nanoseconds.
    private static let lease: UInt64 = 50_000_000

    private struct State {
        /// Kept open, so that a look costs one read.
        var file: SharedFile?
        /// The number for which this process knows the blocks; nil until it has read them.
        var known: UInt64?
    }

    private let page: SharedPage
    private let threads: ThreadPool
    private let state = Mutex(State())
    /// When the last look began, by a clock that starts with the machine.
    private let lookedAt = Atomic<UInt64>(0)
    /// Whether the last look found the known number.
    private let wasCurrent = Atomic(false)

    package convenience init(of userData: UserData) {
        self.init(userData.layout, userData.threads)
    }

    init(_ layout: StoreLayout, _ threads: ThreadPool) {
        page = SharedPage(layout)
        self.threads = threads
    }

    /// Whether this process knew all blocks at the last look, which was within the lease. Costs a look at the
    /// clock, and once in a lease two system calls for a file that is in memory.
    package var isCurrent: Bool {
        let now = Self.now
        if now < lookedAt.load(ordering: .acquiring) + Self.lease {
            return wasCurrent.load(ordering: .acquiring)
        }
        return state.withLock { look(&$0, at: now) }
    }

    /// Returns the number. Read the blocks after it, and then call ``know(_:)``.
    package func number() async -> UInt64? { await threads.run { [self] in numberNow() } }

    /// Returns the same. Blocks.
    package func numberNow() -> UInt64? {
        state.withLock { state in
            _ = look(&state, at: Self.now)
            return read(&state)
        }
    }

    /// Notes that this process knows the blocks as they were when it got the number.
    package func know(_ number: UInt64?) {
        state.withLock { state in
            state.known = number ?? state.known ?? 0
            _ = look(&state, at: Self.now)
        }
    }

    /// Counts a change, which this process reads again like all others: a reading under way may have missed it.
    /// Returns when no process shows anything without it.
    package func add() async {
        await threads.run { [self] in
            page.add(to: SharedPage.blocks) { _, _ in }
            state.withLock { _ = look(&$0, at: Self.now) }
        }
        // Of its own, because the caller's task may be canceled.
        await Task { try? await Task.sleep(for: .nanoseconds(2 * Self.lease)) }.value
    }

    private func look(_ state: inout State, at now: UInt64) -> Bool {
        // A file that can't be read shows no change.
        let isCurrent = state.known != nil && (read(&state) ?? state.known) == state.known
        wasCurrent.store(isCurrent, ordering: .releasing)
        lookedAt.store(now, ordering: .releasing)
        return isCurrent
    }

    private func read(_ state: inout State) -> UInt64? {
        // Another may have its place.
        state.file = SharedFile.existing(state.file, at: page.path)
        return state.file.map { page.count(SharedPage.blocks, in: $0) }
            ?? page.count(SharedPage.blocks)
    }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
