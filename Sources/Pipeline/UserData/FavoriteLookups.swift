import Catalog
import FoundationEssentials
import Memory
import Synchronization
import Threads

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
    private let freshness: FreshnessPolicy
    private let now: @Sendable () -> Date
    /// Returns why an item was not found; nil if it was.
    private let lookUp: @Sendable (Item) async -> Failure?
    private let state = Mutex(State())
    /// When a failed lookup may be retried.
    private let retries: MemoryTier<Item, Date>

    init(
        _ policy: FavoritePolicy, _ freshness: FreshnessPolicy, now: @escaping @Sendable () -> Date,
        _ lookUp: @escaping @Sendable (Item) async -> Failure?
    ) {
        self.policy = policy
        self.freshness = freshness
        self.now = now
        self.lookUp = lookUp
        retries = MemoryTier(maxCost: 4 * max(1, policy.max), maxCount: 4 * max(1, policy.max))
    }

    /// Adds items to look up, unless they are waiting already.
    func add(_ items: [Item]) {
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
        if mustStart { run() }
    }

    /// Looks an item up now, and returns why it was not found. Returns nil if it was, and if that isn't known
    /// soon: another lookup is under way, the minute's limit is reached, or the source is slow. The lookup
    /// then ends in the background.
    func failure(of item: Item) async -> Failure? {
        let begins = state.withLock { state in
            guard !state.isRunning, takesTurn(&state) else { return false }
            state.isRunning = true
            state.current = item
            return true
        }
        guard begins else {
            add([item])
            return nil
        }
        let ended = try? await withTimeout(policy.patience) { [self] in
            let failure = await settled(item)
            run()
            return failure
        }
        return ended ?? nil
    }

    /// Looks up what waits.
    private func run() {
        guard let first = next() else { return }
        // Unstructured, because no response waits for it. It ends with the minute's limit.
        Task { [self] in
            var item: Item? = first
            while let current = item {
                _ = await settled(current)
                item = next()
            }
            StateChange.tell()
        }
    }

    private func settled(_ item: Item) async -> Failure? {
        let failure = await lookUp(item)
        if let failure {
            // Without the item clients see its name instead of its title.
            let pause = failure.kind == .notFound ? freshness.absent : freshness.unavailable
            retries.insert(now().addingTimeInterval(pause), for: item, cost: 1)
        }
        return failure
    }

    /// Returns the next item; `nil` ends the run.
    private func next() -> Item? {
        state.withLock { state in
            state.current = nil
            guard let item = state.waiting.first, takesTurn(&state) else {
                state.isRunning = false
                return nil
            }
            state.waiting.removeFirst()
            state.current = item
            return item
        }
    }

    /// Counts a lookup. Returns false if the minute has no more.
    private func takesTurn(_ state: inout State) -> Bool {
        let now = now()
        // This also starts a new minute if the clock was set back.
        if !(0..<60).contains(now.timeIntervalSince(state.minute)) {
            (state.minute, state.used) = (now, 0)
        }
        guard state.used < policy.lookupsPerMinute else { return false }
        state.used += 1
        return true
    }
}
