/// Finds the prepared response to a request target as it was sent. Belongs to one thread.
///
/// An entry counts only while its source keeps the record in memory. That is checked on every
/// look-up, so a picture that was refreshed, failed or purged is never served from here. The bytes
/// of an entry are charged to its record.
struct HitTable: ~Copyable {
    /// A picture has a target without and one with its file extension, each in two formats. Signed
    /// targets are as many as there are links to it; no more are kept on average.
    private static let maxTargetsPerPicture = 4
    private static let minCapacity = 1_024

    private let source: any HitSource
    private var entries: [UInt64: HitEntry.Pointer] = [:]
    /// No longer in the table, but a response under way may use them.
    private var removed: [HitEntry.Pointer] = []
    /// Entries for one response each.
    private var passing: [HitEntry.Pointer] = []
    private var retiredCount = 0
    /// Nil if it grows with the pictures in memory.
    private let fixedCapacity: Int?
    private var capacity: Int

    init(_ source: any HitSource, capacity: Int? = nil) {
        self.source = source
        fixedCapacity = capacity
        self.capacity = capacity ?? Self.minCapacity
    }

    deinit {
        for entry in entries.values { HitEntry.free(entry) }
        for entry in removed + passing { HitEntry.free(entry) }
    }

    var count: Int { entries.count }

    /// Returns the entry for a target if the table has it. Valid until ``settle()``.
    mutating func entry(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, at now: Double
    ) -> HitEntry.Pointer? {
        let key = Self.key(target, representation)
        guard let entry = entries[key], entry.pointee.matches(target, representation) else {
            return nil
        }
        if entry.pointee.isValid(at: now), entry.pointee.withRecord({ source.mayAnswer($0) }) {
            return entry
        }
        entries[key] = nil
        removed.append(entry)
        return nil
    }

    /// Keeps a response that is in memory. Returns its entry, valid until ``settle()``.
    mutating func insert(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, _ offer: HitOffer
    ) -> HitEntry.Pointer {
        let entry = HitEntry.make(target: target, representation: representation, offer)
        source.charge(entry.pointee.cost, to: offer.record)
        if entries.count >= capacity { clearIfFull() }
        let key = Self.key(target, representation)
        if let other = entries.updateValue(entry, forKey: key) { removed.append(other) }
        return entry
    }

    /// Returns an entry for one response, which is not in the table. Valid until ``settle()``.
    mutating func once(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, _ offer: HitOffer
    ) -> HitEntry.Pointer {
        let entry = HitEntry.make(target: target, representation: representation, offer)
        passing.append(entry)
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
        removed += entries.values
        entries.removeAll()
    }

    /// Frees removed entries, and those for one response. Results of all functions become invalid.
    mutating func settle() {
        if !passing.isEmpty {
            for entry in passing { HitEntry.free(entry) }
            passing.removeAll(keepingCapacity: true)
        }
        guard !removed.isEmpty else { return }
        for entry in removed {
            let cost = entry.pointee.cost
            entry.pointee.withRecord { source.charge(-cost, to: $0) }
            HitEntry.free(entry)
        }
        removed.removeAll()
    }

    /// Frees entries whose records left memory. O(n) if any did since the last call.
    mutating func sweep() {
        let retired = source.retiredCount
        guard retired != retiredCount else { return }
        retiredCount = retired
        removed += entries.values.filter { !isCurrent($0) }
        entries = entries.filter { isCurrent($0.value) }
        settle()
    }
}
