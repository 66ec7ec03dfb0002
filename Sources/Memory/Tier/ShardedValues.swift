public import Synchronization

/// The values of a ``MemoryTier`` by their keys, in shards with a lock each. A look-up takes the lock
/// of one shard and writes nothing outside of that shard.
@usableFromInline
struct ShardedValues<Key: Hashable & Sendable, Value: Sendable>:
    // Unchecked because a shard is reached through a pointer, but only by its own mutex.
    ~Copyable, @unchecked Sendable
{
    @usableFromInline struct Entry {
        @usableFromInline var value: Value
        /// Uses by look-ups since the policy last took them, at most ``S3FIFO/mostUses``.
        @usableFromInline var uses: UInt8
        /// The entry's number in the policy.
        @usableFromInline let number: Int
    }

    @usableFromInline typealias Shard = Mutex<[HashedKey<Key>: Entry]>

    /// Bytes from one shard to the next: two lines, because processors fetch lines in pairs.
    @inlinable static var stride: Int { 128 }
    @inlinable static var mostUses: UInt8 { 3 }

    /// Shards of `stride` bytes each.
    @usableFromInline let shards: UnsafeMutableRawPointer
    @usableFromInline let mask: Int

    /// - Parameter count: a power of two.
    init(count: Int) {
        mask = count - 1
        shards = .allocate(byteCount: count * Self.stride, alignment: Self.stride)
        for index in 0..<count {
            let shard = (shards + index * Self.stride).bindMemory(to: Shard.self, capacity: 1)
            shard.initialize(to: Mutex([:]))
        }
    }

    deinit {
        for index in 0...mask {
            (shards + index * Self.stride).assumingMemoryBound(to: Shard.self)
                .deinitialize(count: 1)
        }
        shards.deallocate()
    }

    /// Calls `body` with the shard of a key, under its lock.
    @inlinable func withShard<Result>(
        of key: HashedKey<Key>, _ body: (inout sending [HashedKey<Key>: Entry]) -> sending Result
    ) -> sending Result {
        (shards + (key.hash & mask) * Self.stride).assumingMemoryBound(to: Shard.self)
            .pointee.withLock(body)
    }
}

/// A key with its hash, so that the key is hashed once for the shard, the dictionary and the policy.
@usableFromInline struct HashedKey<Key: Hashable & Sendable>: Hashable, Sendable {
    @usableFromInline let key: Key
    @usableFromInline let hash: Int

    @inlinable init(_ key: Key) {
        self.key = key
        hash = key.hashValue
    }

    @inlinable static func == (left: Self, right: Self) -> Bool {
        left.hash == right.hash && left.key == right.key
    }

    @inlinable func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
