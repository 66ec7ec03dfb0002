import Catalog
import FoundationEssentials
import Glibc
import Imaging
import Pipeline

/// Finds the prepared answer to a path as it was sent. Belongs to one thread.
///
/// Only canonical paths are kept, as clients can write a path in as many other ways as they like. Those
/// take the long way. What an entry takes counts as its picture's, within `cache.memory`.
///
/// An entry counts only while the memory tier keeps its hit: that is asked on every look-up, so what
/// a refresh, a failure or a purge takes out of memory is never served from here.
struct HitTable: ~Copyable {
    /// A picture has a path without and one with its format's extension, each in two formats; signed
    /// ones as many as there are links to it, of which no more are kept on the mean.
    private static let maxPathsPerPicture = 4
    private static let minRoom = 1_024

    private let pipeline: MediaPipeline
    private var entries: [UInt64: HitEntry.Pointer] = [:]
    /// Removed, but perhaps in use still.
    private var removed: [HitEntry.Pointer] = []
    private var retired = 0
    private var room = minRoom

    init(_ pipeline: MediaPipeline) { self.pipeline = pipeline }

    deinit {
        for entry in entries.values { HitEntry.free(entry) }
        for entry in removed { HitEntry.free(entry) }
    }

    var count: Int { entries.count }

    /// Valid until ``settle()``.
    mutating func entry(
        _ target: UnsafeRawBufferPointer, _ format: ThumbnailFormat, at now: Date
    ) -> HitEntry.Pointer? {
        let key = ByteHash.of(target, format == .webp ? 1 : 2)
        if let entry = entries[key], entry.pointee.answers(target, format) {
            if entry.pointee.counts(at: now) { return entry }
            entries[key] = nil
            removed.append(entry)
        }
        guard let entry = make(target, format) else { return nil }
        if entries.count >= room { makeRoom() }
        if let other = entries.updateValue(entry, forKey: key) { removed.append(other) }
        return entry
    }

    private mutating func makeRoom() {
        room = max(Self.minRoom, Self.maxPathsPerPicture * pipeline.memory.count)
        guard entries.count >= room else { return }
        removed += entries.values
        entries.removeAll()
    }

    /// Lets go of what was removed: nobody uses what ``entry(_:_:at:)`` returned any more.
    mutating func settle() {
        guard !removed.isEmpty else { return }
        for entry in removed {
            let cost = entry.pointee.cost
            entry.pointee.withHit { pipeline.addCost(-cost, of: $0) }
            HitEntry.free(entry)
        }
        removed.removeAll()
    }

    /// Lets go of the bytes of hits that memory keeps no longer. O(n), where any went since.
    mutating func sweep() {
        let retired = pipeline.retiredHits
        guard retired != self.retired else { return }
        self.retired = retired
        removed += entries.values.filter { !$0.pointee.isCurrent }
        entries = entries.filter { $0.value.pointee.isCurrent }
        settle()
    }

    /// By the same grammar and rules as any other request; `nil` leaves it to them, and so leaves the
    /// refusals to who answers requests that are not hits.
    private func make(_ target: UnsafeRawBufferPointer, _ format: ThumbnailFormat)
        -> HitEntry.Pointer?
    {
        let text = String(decoding: target, as: UTF8.self)
        let halves = text.split(separator: "?", maxSplits: 1)
        guard let path = halves.first, let route = try? Route(path: path),
            case .thumbnail(let level, let source, let kind, let id, let fixed) = route,
            let level = try? pipeline.level(level)
        else { return nil }
        var expires: Int?
        let isSigned = source == SignedURL.name
        if halves.count > 1 {
            guard isSigned, let end = Int(halves[1].dropFirst(Self.expiry.count)) else {
                return nil
            }
            expires = end
        }
        // A signature is dear to check: only where it leads to something.
        guard
            let item = try? isSigned
                ? pipeline.trustedItem(source: source, kind: SignedURL.kind, id: id)
                : pipeline.item(source: source, kind: kind, id: id),
            let hit = pipeline.hit(of: item, level: level, format: fixed ?? format),
            !hit.isPlaceholder
        else { return nil }
        if isSigned {
            let signed = try? pipeline.signedItem(
                signature: kind, level: level.name, encodedURL: id, expires: expires)
            guard signed == item else { return nil }
        }
        // With the item's own name, but for signed ones, which nobody else can write in another way.
        let named =
            isSigned
            ? "/t/\(level.name)/\(source)/\(kind)/\(id)"
            : Route.thumbnailPath(level: level.name, item: item.description)
        let canonical =
            named + (fixed.map { ".\($0.fileExtension)" } ?? "")
            + (expires.map { "?\(Self.expiry)\($0)" } ?? "")
        guard text == canonical else { return nil }
        let entry = HitEntry.make(
            target: target, format: format, isNegotiated: fixed == nil, expires: expires, hit)
        pipeline.addCost(entry.pointee.cost, of: hit)
        return entry
    }

    /// What ``RequestScan`` lets through as a query.
    private static let expiry = "expires="
}

/// What `Accept` fields lead to, for those that were seen. Belongs to one thread.
struct NegotiatedFormats {
    /// Browsers send a handful; more than this are somebody's play.
    private static let maxCount = 256
    /// Bytes of a field that is kept; browsers' have half as many.
    private static let maxLength = 512

    private var known: [UInt64: (field: [UInt8], format: ThumbnailFormat)] = [:]
    private let withoutField = Negotiation(accept: nil).format

    mutating func format(_ field: UnsafeRawBufferPointer?) -> ThumbnailFormat {
        guard let field else { return withoutField }
        let key = ByteHash.of(field, 0)
        if let known = known[key], known.field.equals(field) { return known.format }
        let format = Negotiation(accept: String(decoding: field, as: UTF8.self)).format
        guard field.count <= Self.maxLength else { return format }
        if known.count >= Self.maxCount { known.removeAll() }
        known[key] = (Array(field), format)
        return format
    }
}

/// A hash for tables that compare the bytes too.
enum ByteHash {
    /// Another one in each process, so that nobody can prepare paths that meet.
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

    /// Both halves of a full product, so that every bit of the input reaches every bit of the hash.
    private static func mix(_ hash: inout UInt64, _ word: UInt64) {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        hash = product.high ^ product.low
    }
}

extension [UInt8] {
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        withUnsafeBytes { own in
            guard own.count == other.count else { return false }
            guard let left = own.baseAddress, let right = other.baseAddress else { return true }
            return memcmp(left, right, own.count) == 0
        }
    }
}
