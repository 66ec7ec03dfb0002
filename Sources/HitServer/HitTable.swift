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
    private var retiredCount = 0
    private var capacity = minCapacity

    init(_ source: any HitSource) { self.source = source }

    deinit {
        for entry in entries.values { HitEntry.free(entry) }
        for entry in removed { HitEntry.free(entry) }
    }

    var count: Int { entries.count }

    /// Returns the entry for a target, made now if the source has the response. Valid until
    /// ``settle()``.
    mutating func entry(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, at now: Double
    ) -> HitEntry.Pointer? {
        let key = ByteHash.of(target, UInt64(representation) + 1)
        if let entry = entries[key], entry.pointee.matches(target, representation) {
            if entry.pointee.isValid(at: now), isCurrent(entry) { return entry }
            entries[key] = nil
            removed.append(entry)
        }
        guard let offer = source.offer(target, representation) else { return nil }
        let entry = HitEntry.make(target: target, representation: representation, offer)
        source.charge(entry.pointee.cost, to: offer.record)
        if entries.count >= capacity { clearIfFull() }
        if let other = entries.updateValue(entry, forKey: key) { removed.append(other) }
        return entry
    }

    private func isCurrent(_ entry: HitEntry.Pointer) -> Bool {
        entry.pointee.withRecord { source.isCurrent($0) }
    }

    private mutating func clearIfFull() {
        capacity = max(Self.minCapacity, Self.maxTargetsPerPicture * source.count)
        guard entries.count >= capacity else { return }
        removed += entries.values
        entries.removeAll()
    }

    /// Frees removed entries. Results of ``entry(_:_:at:)`` become invalid.
    mutating func settle() {
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

/// Remembers which representation each value of `Accept` leads to. Belongs to one thread.
struct NegotiatedRepresentations {
    /// Browsers send a handful of values. More than this is abuse.
    private static let maxCount = 256
    /// Longest value in bytes that is remembered; browsers' are half as long.
    private static let maxLength = 512

    private let source: any HitSource
    private let withoutField: UInt8
    private var known: [UInt64: (field: [UInt8], representation: UInt8)] = [:]

    init(_ source: any HitSource) {
        self.source = source
        withoutField = source.representation(accept: nil)
    }

    mutating func representation(_ field: UnsafeRawBufferPointer?) -> UInt8 {
        guard let field else { return withoutField }
        let key = ByteHash.of(field, 0)
        if let known = known[key], known.field.equals(field) { return known.representation }
        let representation = source.representation(accept: field)
        guard field.count <= Self.maxLength else { return representation }
        if known.count >= Self.maxCount { known.removeAll() }
        known[key] = (Array(field), representation)
        return representation
    }
}

/// A hash for tables that also compare the bytes.
enum ByteHash {
    /// Random in each process, so that clients can't prepare colliding targets.
    private static let seed = UInt64.random(in: 1 ... .max)

    static func of(_ bytes: UnsafeRawBufferPointer, _ salt: UInt64) -> UInt64 {
        var hash = seed ^ salt
        var offset = 0
        while offset + 8 <= bytes.count {
            mix(&hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest = UInt64(truncatingIfNeeded: bytes.count) << 56
        while offset < bytes.count {
            rest = rest << 8 ^ UInt64(bytes[offset])
            offset += 1
        }
        mix(&hash, rest)
        return hash
    }

    /// Folds both halves of a full product, so that every bit of the input reaches every bit of the
    /// hash.
    private static func mix(_ hash: inout UInt64, _ word: UInt64) {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        hash = product.high ^ product.low
    }
}
