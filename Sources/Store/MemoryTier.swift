/// A bounded cache in memory for hits: least recently used goes first. Any thread, O(1), never blocks
/// on I/O.
package final class MemoryTier<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// `maxCost` is in bytes; `maxCount` bounds the bookkeeping of many tiny entries.
    package init(maxCost: Int, maxCount: Int) {
        fatalError("seam")
    }

    package func value(_ key: Key) -> Value? {
        fatalError("seam")
    }

    /// A value that alone costs more than a quarter of the budget is not kept.
    package func insert(_ value: Value, for key: Key, cost: Int) {
        fatalError("seam")
    }

    package func remove(_ key: Key) {
        fatalError("seam")
    }

    package func removeAll(where isUnwanted: (Key) -> Bool) {
        fatalError("seam")
    }

    package var count: Int { fatalError("seam") }
    package var cost: Int { fatalError("seam") }
}
