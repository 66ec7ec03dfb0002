import Catalog
import FoundationEssentials
import Memory
import Synchronization

/// Allows one refresh of an item at a time, and none soon after a failed one, even if the failure
/// can't be stored. Any thread.
final class RefreshBrake: Sendable {
    /// Pauses double up to this many times the first one, which is five minutes by default. Longer
    /// pauses would delay refreshes after a source has recovered.
    private static let mostTimes = 10.0

    private struct Pause {
        var until: Date
        var seconds: TimeInterval
    }

    private let first: TimeInterval
    private let running = Mutex(Set<Item>())
    private let pauses = MemoryTier<Item, Pause>(maxCost: 20_000, maxCount: 20_000)

    init(_ policy: FreshnessPolicy) { first = max(1, policy.unavailable) }

    /// Returns whether a refresh may run at `now`. If so, call ``end(_:isRefreshed:at:)`` after it.
    func begin(_ item: Item, at now: Date) -> Bool {
        // A pause longer than the longest one means that the clock was set back since.
        if let pause = pauses.value(item), pause.until > now,
            pause.until <= now.addingTimeInterval(longest)
        {
            return false
        }
        return running.withLock { $0.insert(item).inserted }
    }

    func end(_ item: Item, isRefreshed: Bool, at now: Date) {
        if isRefreshed {
            pauses.remove(item)
        } else {
            let seconds = min(pauses.value(item).map { $0.seconds * 2 } ?? first, longest)
            pauses.insert(
                Pause(until: now.addingTimeInterval(seconds), seconds: seconds), for: item, cost: 1)
        }
        running.withLock { _ = $0.remove(item) }
    }

    private var longest: TimeInterval { first * Self.mostTimes }
}
