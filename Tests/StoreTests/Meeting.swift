import Glibc
import Synchronization

/// Counts how many threads are there at once.
final class Meeting: Sendable {
    private let state = Mutex((came: 0, now: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    /// The first so many wait for each other, so that as many are there once.
    func attend(first count: Int) {
        state.withLock { state in
            state.came += 1
            state.now += 1
            state.most = max(state.most, state.now)
        }
        while state.withLock({ $0.came }) < count { sched_yield() }
        // Room for one too many to come.
        for _ in 0..<100 { sched_yield() }
        state.withLock { $0.now -= 1 }
    }
}
