/// Finds the prepared response to a request target as it was sent. Belongs to one thread.
///
/// An entry counts only while its source keeps the record in memory. That is checked on every
/// look-up, so a picture that was refreshed, failed or purged is never served from here. The bytes
/// of an entry are charged to its record.
///
/// The table owns its entries. Each is in the table, used by a response, or freed: ``counts`` says how many.
struct HitTable: ~Copyable {
    /// A picture has a target without and one with its file extension, each in two formats. Signed
    /// targets are as many as there are links to it; no more are kept on average.
    private static let maxTargetsPerPicture = 4
    private static let minCapacity = 1_024

    private let source: any HitSource
    private var entries: [UInt64: HitEntry.Pointer] = [:]
    /// Out of the table, or for one response. Freed by ``settle()``.
    private var used: [HitEntry.Pointer] = []
    private var retiredCount = 0
    /// Nil if it grows with the pictures in memory.
    private let fixedCapacity: Int?
    private var capacity: Int
    /// Keys of the entries that keep files open.
    private var keysOfFiles: Set<UInt64> = []
    private var made = 0
    private var freed = 0

    init(_ source: any HitSource, capacity: Int? = nil) {
        self.source = source
        fixedCapacity = capacity
        self.capacity = capacity ?? Self.minCapacity
    }

    deinit {
        for entry in entries.values { Self.free(entry, source) }
        for entry in used { Self.free(entry, source) }
    }

    var count: Int { entries.count }

    /// What became of all entries so far.
    var counts: HitEntryCounts {
        HitEntryCounts(made: made, inTable: entries.count, inUse: used.count, freed: freed)
    }

    /// Returns the entry for a target if the table has it. Valid until ``settle()``.
    mutating func entry(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, at now: Double
    ) -> HitEntry.Pointer? {
        let key = Self.key(target, representation)
        guard let entry = entries[key] else { return nil }
        assert(entry.pointee.place == .table, "the table has an entry that has left it")
        guard entry.pointee.matches(target, representation) else { return nil }
        if entry.pointee.isValid(at: now), entry.pointee.withRecord({ source.mayAnswer($0) }) {
            return entry
        }
        remove(key)
        return nil
    }

    /// Keeps a response that is in memory. Returns its entry, valid until ``settle()``.
    mutating func insert(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, _ offer: HitOffer
    ) -> HitEntry.Pointer {
        let entry = make(target, representation, offer, .table)
        source.charge(entry.pointee.cost, to: offer.record)
        if entries.count >= capacity { clearIfFull() }
        let key = Self.key(target, representation)
        remove(key)
        if entry.pointee.hasFile {
            if keysOfFiles.count >= source.maxFilesOfTable { removeFiles() }
            keysOfFiles.insert(key)
        }
        entries[key] = entry
        return entry
    }

    /// Returns an entry for one response, which is not in the table. Valid until ``settle()``.
    mutating func once(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, _ offer: HitOffer
    ) -> HitEntry.Pointer {
        let entry = make(target, representation, offer, .passing)
        used.append(entry)
        return entry
    }

    private static func key(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8
    ) -> UInt64 { target.hash(UInt64(representation) + 1) }

    private func isCurrent(_ entry: HitEntry.Pointer) -> Bool {
        entry.pointee.withRecord { source.isCurrent($0) }
    }

    private mutating func clearIfFull() {
        capacity =
            fixedCapacity ?? max(Self.minCapacity, Self.maxTargetsPerPicture * source.count)
        guard entries.count >= capacity else { return }
        for key in Array(entries.keys) { remove(key) }
    }

    /// Gives the files back that the table alone keeps open. Their responses are found again.
    private mutating func removeFiles() { for key in Array(keysOfFiles) { remove(key) } }

    /// Frees removed entries, and those for one response. Results of all functions become invalid.
    mutating func settle() {
        guard !used.isEmpty else { return }
        for entry in used { Self.free(entry, source) }
        freed += used.count
        used.removeAll(keepingCapacity: used.count <= Self.minCapacity)
    }

    /// Frees entries whose records left memory. O(n) if any did since the last call.
    mutating func sweep() {
        let retired = source.retiredCount
        guard retired != retiredCount else { return }
        retiredCount = retired
        // One look at each: what it finds changes meanwhile, so a second look could find the opposite.
        for key in entries.filter({ !isCurrent($0.value) }).keys { remove(key) }
        settle()
        precondition(counts.isBalanced, "entries of the table are lost: \(counts)")
    }

    // MARK: The one owner of entries

    private mutating func make(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, _ offer: HitOffer,
        _ place: HitEntry.Place
    ) -> HitEntry.Pointer {
        let entry = HitEntry.Pointer.allocate(capacity: 1)
        entry.initialize(to: HitEntry(target, representation, offer, place))
        made += 1
        return entry
    }

    /// Takes an entry out of the table, if there is one under the key.
    private mutating func remove(_ key: UInt64) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        precondition(entry.pointee.place == .table, "an entry leaves the table a second time")
        entry.pointee.place = .removed
        if entry.pointee.hasFile { keysOfFiles.remove(key) }
        used.append(entry)
    }

    /// Gives back the memory of an entry, and what it was charged.
    private static func free(_ entry: HitEntry.Pointer, _ source: any HitSource) {
        precondition(entry.pointee.place != .freed, "an entry is freed a second time")
        if entry.pointee.place != .passing {
            let cost = entry.pointee.cost
            entry.pointee.withRecord { source.charge(-cost, to: $0) }
        }
        entry.pointee.place = .freed
        entry.deinitialize(count: 1)
        entry.deallocate()
    }
}

/// What became of the entries of a thread's tables. Whenever no response is under way, the entries in use are
/// none.
package struct HitEntryCounts: Equatable, Sendable {
    package var made = 0
    package var inTable = 0
    package var inUse = 0
    package var freed = 0

    package var isBalanced: Bool { freed + inUse + inTable == made }

    static func + (left: Self, right: Self) -> Self {
        Self(
            made: left.made + right.made, inTable: left.inTable + right.inTable,
            inUse: left.inUse + right.inUse, freed: left.freed + right.freed)
    }
}
