import Synchronization

/// A bounded cache in memory. It keeps what is used often and survives a scan (``S3FIFO``). Any
/// thread, O(1), never blocks on I/O.
///
/// Look-ups lock one shard, so that threads rarely wait for each other. Changes take a lock of the
/// whole tier besides: there is one budget and one order of eviction, whatever the number of shards.
///
/// It is public because the compiler specializes no other generic code for its callers in another
/// module, and a look-up takes four times as long without.
public final class MemoryTier<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Order {
        var policy: S3FIFO
        /// By number of the entry; nil while a number is free.
        var keys: [HashedKey<Key>?] = []
        var evictions = 0

        mutating func insert(
            _ key: HashedKey<Key>, cost: Int, replacing standing: S3FIFO.Standing?
        ) -> Int {
            let number = policy.insert(cost: cost, fingerprint: key.hash, replacing: standing)
            assert(number <= keys.count, "a number is left out")
            assert(number == keys.count || keys[number] == nil, "two keys have one number")
            if number == keys.count { keys.append(key) } else { keys[number] = key }
            return number
        }

        @discardableResult mutating func remove(_ number: Int) -> S3FIFO.Standing {
            assert(keys[number] != nil, "an entry is removed twice")
            keys[number] = nil
            return policy.remove(number)
        }
    }

    private let maxCost: Int
    private let maxCount: Int
    /// Every change holds it. It is locked before a shard.
    private let order: Mutex<Order>
    @usableFromInline let values: ShardedValues<Key, Value>
    private let takeUse: @Sendable (Value) -> Bool
    private let onRemoval: @Sendable (Value) -> Void

    /// `maxCost` is in bytes; `maxCount` bounds the bookkeeping of many tiny entries.
    ///
    /// Values may be used without a look-up. `takeUse` returns whether that happened since its last
    /// call, which counts as one use. `onRemoval` is called for every value that is removed or
    /// replaced. Both are called under the locks, so they must be quick and must not call the tier.
    ///
    /// - Parameter shards: a power of two; nil follows from the bounds and the processors.
    package init(
        maxCost: Int, maxCount: Int, shards: Int? = nil,
        takeUse: @escaping @Sendable (Value) -> Bool = { _ in false },
        onRemoval: @escaping @Sendable (Value) -> Void = { _ in }
    ) {
        self.maxCost = max(0, maxCost)
        self.maxCount = max(0, maxCount)
        order = Mutex(Order(policy: S3FIFO(maxCost: maxCost, maxCount: maxCount)))
        values = ShardedValues(
            count: shards ?? TierShards.count(entries: min(maxCost, maxCount)))
        self.takeUse = takeUse
        self.onRemoval = onRemoval
    }

    /// Returns the value and counts a use.
    @inlinable public func value(_ key: Key) -> Value? {
        let key = HashedKey(key)
        return values.withShard(of: key) { shard in
            guard let index = shard.index(forKey: key) else { return nil }
            let uses = shard.values[index].uses
            // A value in constant use is not written to.
            if uses < ShardedValues<Key, Value>.mostUses { shard.values[index].uses = uses + 1 }
            return shard.values[index].value
        }
    }

    /// Replaces the value of the key; the new one inherits the uses of the earlier one. A value that
    /// costs more than a quarter of the budget is not kept, so that one large value can't evict
    /// everything else. The earlier value is removed anyway. Returns whether it is kept.
    @discardableResult package func insert(_ value: Value, for key: Key, cost: Int) -> Bool {
        insert(value, for: key, cost: cost) { _ in true }
    }

    /// Does the same if `isWanted` returns true for the current value. It is called under the lock of
    /// all changes, so no other change comes between.
    @discardableResult package func insert(
        _ value: Value, for key: Key, cost: Int, where isWanted: (_ known: Value?) -> Bool
    ) -> Bool {
        let key = HashedKey(key)
        let cost = max(0, cost)
        return order.withLock { order in
            let known = values.withShard(of: key) { shard in
                shard[key].map { (value: $0.value, number: $0.number) }
            }
            guard isWanted(known?.value) else { return false }
            let standing = known.map { order.remove($0.number) }
            guard cost <= maxCost / 4, maxCount > 0 else {
                if known != nil { remove(key) }
                return false
            }
            makeRoom(cost: cost, count: 1, &order)
            let number = order.insert(key, cost: cost, replacing: standing)
            // The earlier value was found until now.
            values.withShard(of: key) { shard in
                var entry = ShardedValues<Key, Value>.Entry(value: value, uses: 0, number: number)
                if let known = shard[key] {
                    entry.uses = known.uses
                    if takeUse(known.value), entry.uses < ShardedValues<Key, Value>.mostUses {
                        entry.uses += 1
                    }
                    onRemoval(known.value)
                }
                shard[key] = entry
            }
            return true
        }
    }

    /// Returns whether a value should be inserted that was read for a use without the tier: there is
    /// room, or it has come back twice, each time not long after it left or was used. If not, this use
    /// is remembered. So values that are used as seldom as those in the tier cost no insertions and no
    /// evictions.
    ///
    /// - Parameter fingerprint: the key's hash value.
    package func admits(_ fingerprint: Int, cost: Int) -> Bool {
        guard cost <= maxCost / 4, maxCount > 0 else { return false }
        return order.withLock { $0.policy.admits(fingerprint: fingerprint, cost: cost) }
    }

    /// Calls `body` while nothing is inserted, removed or evicted. It must be quick and must not
    /// change the tier.
    package func whileUnchanged(_ body: () -> Void) { order.withLock { _ in body() } }

    /// The keys in no particular order.
    package var keys: [Key] { order.withLock { $0.keys.compactMap { $0?.key } } }

    /// The values in no particular order. Reading them counts as no use.
    package var allValues: [Value] {
        order.withLock { order in
            order.keys.compactMap { key in
                key.flatMap { key in values.withShard(of: key) { $0[key]?.value } }
            }
        }
    }

    /// Changes the cost of the key's value if `isMeant` accepts that value. Evicts others if the
    /// total is too high.
    package func addCost(
        _ cost: Int, for key: Key, where isMeant: @Sendable (Value) -> Bool
    ) {
        let key = HashedKey(key)
        order.withLock { order in
            let number = values.withShard(of: key) { shard in
                shard[key].flatMap { isMeant($0.value) ? $0.number : nil }
            }
            guard let number else { return }
            order.policy.setCost(max(0, order.policy.cost(of: number) + cost), of: number)
            makeRoom(cost: 0, count: 0, &order)
        }
    }

    package func remove(_ key: Key) {
        let key = HashedKey(key)
        order.withLock { order in
            if let number = remove(key) { order.remove(number) }
        }
    }

    /// Removes all keys that match. O(n). Values inserted meanwhile may stay.
    package func removeAll(where isUnwanted: (Key) -> Bool) {
        let unwanted = order.withLock { $0.keys }.compactMap(\.self).filter { isUnwanted($0.key) }
        order.withLock { order in
            for key in unwanted {
                if let number = remove(key) { order.remove(number) }
            }
        }
    }

    package var count: Int { order.withLock { $0.policy.count } }
    /// The sum of the costs given on insertion.
    package var cost: Int { order.withLock { $0.policy.cost } }
    /// Entries that were evicted since the start.
    package var evictions: Int { order.withLock { $0.evictions } }

    private func makeRoom(cost: Int, count: Int, _ order: inout Order) {
        while !order.policy.hasRoom(cost: cost, count: count) {
            guard let victim = victim(&order) else { return }
            assert(order.keys[victim] != nil, "an entry without a key is evicted")
            guard let key = order.keys[victim] else { return }
            order.keys[victim] = nil
            order.evictions += 1
            let number = remove(key)
            assert(number == victim, "another value than the evicted one is removed")
        }
    }

    private func victim(_ order: inout Order) -> Int? {
        let keys = order.keys
        return order.policy.evict { number in keys[number].map(takeUses) ?? 0 }
    }

    /// Returns the uses since the last call.
    private func takeUses(_ key: HashedKey<Key>) -> Int {
        values.withShard(of: key) { shard in
            guard let index = shard.index(forKey: key) else { return 0 }
            var uses = Int(shard.values[index].uses)
            shard.values[index].uses = 0
            if takeUse(shard.values[index].value) { uses += 1 }
            return uses
        }
    }

    /// Removes the value from its shard. Returns its number in the order.
    @discardableResult private func remove(_ key: HashedKey<Key>) -> Int? {
        values.withShard(of: key) { shard in
            guard let entry = shard.removeValue(forKey: key) else { return nil }
            onRemoval(entry.value)
            return entry.number
        }
    }
}

/// How many shards a tier has.
enum TierShards {
    private static let processors = MachineProcessors.count()

    /// Returns four for each processor, so that two threads rarely meet; fewer for a tier of few
    /// entries, at least 1. A power of two.
    static func count(entries: Int, processors: Int = processors) -> Int {
        let most = min(4 * processors, entries / 64)
        return most < 1 ? 1 : 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
    }
}
