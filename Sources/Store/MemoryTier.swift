import Synchronization

/// A bounded cache in memory that evicts the least recently used values. Any thread, O(1), never
/// blocks on I/O.
package final class MemoryTier<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let state: Mutex<RecencyList<Key, Value>>

    /// `maxCost` is in bytes; `maxCount` bounds the bookkeeping of many tiny entries.
    ///
    /// Values may be used without a look-up. `takeUse` returns whether that happened since its last
    /// call; such a value is not evicted next. `onRemoval` is called for every value that is
    /// removed or replaced. Both are called under the lock, so they must be quick.
    package init(
        maxCost: Int, maxCount: Int,
        takeUse: @escaping @Sendable (Value) -> Bool = { _ in false },
        onRemoval: @escaping @Sendable (Value) -> Void = { _ in }
    ) {
        state = Mutex(
            RecencyList(
                maxCost: maxCost, maxCount: maxCount, takeUse: takeUse, onRemoval: onRemoval))
    }

    /// Returns the value and makes it the most recently used.
    package func value(_ key: Key) -> Value? {
        state.withLock { $0.value(key) }
    }

    /// Replaces the value of the key. A value that costs more than a quarter of the budget is not
    /// kept, so that one large value can't evict everything else. The earlier value is removed
    /// anyway.
    package func insert(_ value: Value, for key: Key, cost: Int) {
        state.withLock { $0.insert(value, for: key, cost: cost) }
    }

    /// Does the same if `isWanted` returns true for the current value. It is called under the lock,
    /// so no other change comes between.
    package func insert(
        _ value: Value, for key: Key, cost: Int, where isWanted: (_ known: Value?) -> Bool
    ) {
        state.withLock { state in
            if isWanted(state.peek(key)) { state.insert(value, for: key, cost: cost) }
        }
    }

    /// The keys in no particular order.
    var keys: [Key] { state.withLock { $0.keys } }
    /// The values in no particular order. Counts as no use.
    package var values: [Value] { state.withLock { $0.values } }

    /// Changes the cost of the key's value if `isMeant` accepts that value. Evicts others if the
    /// total is too high.
    package func addCost(
        _ cost: Int, for key: Key, where isMeant: @Sendable (Value) -> Bool
    ) {
        state.withLock { $0.addCost(cost, for: key, where: isMeant) }
    }

    package func remove(_ key: Key) {
        state.withLock { $0.remove(key) }
    }

    /// Removes all keys that match. O(n). Values inserted meanwhile may stay.
    package func removeAll(where isUnwanted: (Key) -> Bool) {
        let keys = state.withLock { $0.keys }
        let unwanted = keys.filter(isUnwanted)
        state.withLock { state in
            for key in unwanted { state.remove(key) }
        }
    }

    package var count: Int { state.withLock { $0.count } }
    /// The sum of the costs given on insertion.
    package var cost: Int { state.withLock { $0.cost } }
    /// Entries that were evicted since the start.
    package var evictions: Int { state.withLock { $0.evictions } }
}

/// A dictionary into an array of doubly linked entries. It uses indices instead of references, so a
/// hit changes no reference count but the value's.
private struct RecencyList<Key: Hashable, Value> {
    private struct Entry {
        /// `nil` while the entry is free.
        var content: (key: Key, value: Value, cost: Int)?
        var newer: Int
        /// Also links the free entries.
        var older: Int
    }

    private static var none: Int { -1 }

    private let maxCost: Int
    private let maxCount: Int
    private let takeUse: @Sendable (Value) -> Bool
    private let onRemoval: @Sendable (Value) -> Void
    private var indices: [Key: Int] = [:]
    private var entries: [Entry] = []
    private var newest = none
    private var oldest = none
    private var firstFree = none
    private(set) var cost = 0
    private(set) var evictions = 0

    var count: Int { indices.count }
    var keys: [Key] { Array(indices.keys) }
    var values: [Value] { entries.compactMap { $0.content?.value } }

    init(
        maxCost: Int, maxCount: Int, takeUse: @escaping @Sendable (Value) -> Bool,
        onRemoval: @escaping @Sendable (Value) -> Void
    ) {
        self.maxCost = max(0, maxCost)
        self.maxCount = max(0, maxCount)
        self.takeUse = takeUse
        self.onRemoval = onRemoval
    }

    mutating func value(_ key: Key) -> Value? {
        guard let index = indices[key] else { return nil }
        if index != newest {
            unlink(index)
            linkAsNewest(index)
        }
        return entries[index].content?.value
    }

    /// Returns the value without counting a use.
    func peek(_ key: Key) -> Value? {
        indices[key].flatMap { entries[$0].content?.value }
    }

    mutating func insert(_ value: Value, for key: Key, cost added: Int) {
        remove(key)
        let added = max(0, added)
        guard added <= maxCost / 4, maxCount > 0 else { return }
        evict(cost: added, count: 1)
        let index = takeFree()
        entries[index].content = (key, value, added)
        indices[key] = index
        cost += added
        linkAsNewest(index)
    }

    mutating func addCost(_ added: Int, for key: Key, where isMeant: (Value) -> Bool) {
        guard let index = indices[key], let content = entries[index].content,
            isMeant(content.value)
        else { return }
        entries[index].content = (key, content.value, max(0, content.cost + added))
        cost += max(0, content.cost + added) - content.cost
        evict(cost: 0, count: 0)
    }

    private mutating func evict(cost added: Int, count addedCount: Int) {
        // Each entry gets one second chance, so that values in constant use don't stop the search.
        var chances = count
        while cost + added > maxCost || count + addedCount > maxCount {
            if chances > 0, let content = entries[oldest].content, takeUse(content.value) {
                chances -= 1
                let index = oldest
                unlink(index)
                linkAsNewest(index)
            } else {
                removeEntry(oldest)
                evictions += 1
            }
        }
    }

    mutating func remove(_ key: Key) {
        if let index = indices[key] { removeEntry(index) }
    }

    private mutating func removeEntry(_ index: Int) {
        guard let content = entries[index].content else { return }
        unlink(index)
        indices[content.key] = nil
        cost -= content.cost
        entries[index] = Entry(content: nil, newer: Self.none, older: firstFree)
        firstFree = index
        onRemoval(content.value)
    }

    private mutating func takeFree() -> Int {
        if firstFree == Self.none {
            entries.append(Entry(content: nil, newer: Self.none, older: Self.none))
            return entries.count - 1
        }
        let index = firstFree
        firstFree = entries[index].older
        return index
    }

    private mutating func linkAsNewest(_ index: Int) {
        entries[index].newer = Self.none
        entries[index].older = newest
        if newest == Self.none { oldest = index } else { entries[newest].newer = index }
        newest = index
    }

    private mutating func unlink(_ index: Int) {
        let (newer, older) = (entries[index].newer, entries[index].older)
        if newer == Self.none { newest = older } else { entries[newer].older = older }
        if older == Self.none { oldest = newer } else { entries[older].newer = newer }
    }
}
