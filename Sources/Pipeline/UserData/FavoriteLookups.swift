import Catalog
import FoundationEssentials
import Memory
import Synchronization

/// Looks up items in the background, one after another and a limited number per minute. When the
/// minute's limit is reached, the remaining items wait until items are added again. Any thread.
final class FavoriteLookups: Sendable {
    private struct State {
        var waiting: [Item] = []
        var current: Item?
        var isRunning = false
        /// Start of the current minute, and its number of lookups.
        var minute = Date.distantPast
        var used = 0
    }

    private let policy: FavoritePolicy
    private let state = Mutex(State())
    /// When a failed lookup may be retried.
    private let retries: MemoryTier<Item, Date>

    init(_ policy: FavoritePolicy) {
        self.policy = policy
        retries = MemoryTier(maxCost: 4 * max(1, policy.max), maxCount: 4 * max(1, policy.max))
    }

    /// Adds items to look up, unless they are waiting already.
    ///
    /// - Parameter lookUp: Returns the seconds until a retry. Called on a task of its own.
    func add(
        _ items: [Item], now: @escaping @Sendable () -> Date,
        _ lookUp: @escaping @Sendable (Item) async -> TimeInterval
    ) {
        let time = now()
        let wanted = items.filter { item in retries.value(item).map { $0 <= time } ?? true }
        let mustStart = state.withLock { state in
            let room = max(0, policy.max - state.waiting.count)
            let known = Set(state.waiting + [state.current].compactMap(\.self))
            state.waiting += wanted.filter { !known.contains($0) }.prefix(room)
            guard !state.isRunning, !state.waiting.isEmpty else { return false }
            state.isRunning = true
            return true
        }
        guard mustStart else { return }
        // Unstructured, because no response waits for it. It ends with the minute's limit.
        Task { [self] in
            while let item = next(at: now()) {
                let pause = await lookUp(item)
                if pause > 0 {
                    retries.insert(now().addingTimeInterval(pause), for: item, cost: 1)
                }
            }
            StateChange.tell()
        }
    }

    /// Returns the next item; `nil` ends the run.
    private func next(at now: Date) -> Item? {
        state.withLock { state in
            // This also starts a new minute if the clock was set back.
            if !(0..<60).contains(now.timeIntervalSince(state.minute)) {
                (state.minute, state.used) = (now, 0)
            }
            state.current = nil
            guard state.used < policy.lookupsPerMinute, !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            state.used += 1
            state.current = state.waiting.removeFirst()
            return state.current
        }
    }
}
