import Glibc
public import Synchronization

/// A bounded table of small values without pointers, for millions of entries. Its memory is
/// allocated once and used as entries come. Any thread, O(1).
///
/// An entry takes the size of its value and 16 bytes. Eight entries form a set, which the fingerprint
/// selects. A new entry takes the last place of its set; each look-up moves an entry one place up.
/// Entries that are looked up often therefore stay.
///
/// It is public because the compiler specializes no other generic code for its callers in another
/// module.
public final class CompactTable<Value: BitwiseCopyable & Sendable>:
    // Unchecked because a set is reached through pointers, but only under the lock of its stripe.
    @unchecked Sendable
{
    /// Entries of a set. Their fingerprints fill two lines of the processor's cache.
    @inlinable static var ways: Int { 8 }
    @inlinable static var stripes: Int { 64 }
    @inlinable static var stripeStride: Int { 64 }

    @usableFromInline let setCount: UInt64
    @usableFromInline let names: UnsafeMutablePointer<Fingerprint>
    @usableFromInline let values: UnsafeMutablePointer<Value>
    @usableFromInline let locks: UnsafeMutableRawPointer
    /// Entries that the table holds at most.
    public let capacity: Int

    /// - Parameter bytes: limit of its memory; at least one set is kept.
    public init(bytes: Int) {
        let entry = MemoryLayout<Fingerprint>.stride + MemoryLayout<Value>.stride
        let sets = max(1, bytes / entry / Self.ways)
        setCount = UInt64(sets)
        capacity = sets * Self.ways
        names = Self.zeroed(capacity)
        values = Self.zeroed(capacity)
        locks = .allocate(
            byteCount: Self.stripes * Self.stripeStride, alignment: Self.stripeStride)
        for index in 0..<Self.stripes {
            (locks + index * Self.stripeStride).bindMemory(to: Mutex<Void>.self, capacity: 1)
                .initialize(to: Mutex(()))
        }
    }

    deinit {
        for index in 0..<Self.stripes {
            (locks + index * Self.stripeStride).assumingMemoryBound(to: Mutex<Void>.self)
                .deinitialize(count: 1)
        }
        locks.deallocate()
        free(names)
        free(values)
    }

    /// Bytes of memory, used or not.
    public var bytes: Int {
        capacity * (MemoryLayout<Fingerprint>.stride + MemoryLayout<Value>.stride)
    }

    /// Entries now. O(n).
    public var count: Int {
        var count = 0
        for set in 0..<Int(setCount) {
            count += withSet(set) { base in
                (0..<Self.ways).count { names[base + $0] != .none }
            }
        }
        return count
    }

    /// Returns the value and counts a use.
    @inlinable public func value(_ name: Fingerprint) -> Value? {
        withSet(set(of: name)) { base in
            guard let place = place(of: name, base) else { return nil }
            let value = values[place]
            if place > base, names[place - 1] != .none {
                (names[place], names[place - 1]) = (names[place - 1], name)
                (values[place], values[place - 1]) = (values[place - 1], value)
            }
            return value
        }
    }

    /// Inserts or replaces a value. If the set is full, its last entry is dropped.
    @inlinable public func set(_ value: Value, for name: Fingerprint) {
        withSet(set(of: name)) { base in
            let free = (base..<base + Self.ways).first { names[$0] == .none }
            let place = place(of: name, base) ?? free ?? base + Self.ways - 1
            names[place] = name
            values[place] = value
        }
    }

    /// Changes the value in place if the table has it. `change` is called under a lock, so
    /// it must be quick and must not call the table.
    @inlinable public func update(_ name: Fingerprint, _ change: (inout Value) -> Void) {
        withSet(set(of: name)) { base in
            if let place = place(of: name, base) { change(&values[place]) }
        }
    }

    @inlinable public func remove(_ name: Fingerprint) {
        withSet(set(of: name)) { base in
            if let place = place(of: name, base) { names[place] = .none }
        }
    }

    /// Removes all entries. O(capacity).
    public func removeAll() {
        for set in 0..<Int(setCount) {
            withSet(set) { base in
                // Memory that was never written to stays unused.
                for place in base..<base + Self.ways where names[place] != .none {
                    names[place] = .none
                }
            }
        }
    }

    @inlinable func set(of name: Fingerprint) -> Int {
        Int(name.first.multipliedFullWidth(by: setCount).high)
    }

    @inlinable func place(of name: Fingerprint, _ base: Int) -> Int? {
        for place in base..<base + Self.ways where names[place] == name { return place }
        return nil
    }

    @inlinable func withSet<Result: Sendable>(
        _ set: Int, _ body: (_ base: Int) -> Result
    ) -> Result {
        let lock = (locks + (set & (Self.stripes - 1)) * Self.stripeStride)
            .assumingMemoryBound(to: Mutex<Void>.self)
        return lock.pointee.withLock { _ in body(set * Self.ways) }
    }

    private static func zeroed<Element>(_ count: Int) -> UnsafeMutablePointer<Element> {
        guard let memory = calloc(count, MemoryLayout<Element>.stride) else {
            preconditionFailure("no memory for \(count) entries")
        }
        return memory.bindMemory(to: Element.self, capacity: count)
    }
}
