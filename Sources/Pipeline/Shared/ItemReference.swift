import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Store

/// What every node should know of an item: its record, what is known of the originals that it shows, and
/// how its catalog describes it. The object under ``SharedKeys/reference(_:)``, as JSON.
///
/// It is the only object that changes. Writers add what they know to what is there.
struct ItemReference: Sendable, Equatable, Codable {
    /// What is known of an original without its bytes.
    struct Original: Sendable, Equatable, Codable {
        var digest: Digest
        var url: String
        var byteCount: Int
        var width: Int
        var height: Int
        var format: String
        var entityTag: String?
        var lastModified: String?
        var fetchedAt: Date
        var freshUntil: Date
        var thumbHash: [UInt8]?
        var color: String?
        /// Its bundles by their recipes.
        var bundles: [String: Bundle] = [:]
    }

    /// What the bundle of an original must be.
    struct Bundle: Sendable, Equatable, Codable {
        var byteCount: Int
        var sha256: String
    }

    var version = Self.version
    var record: ItemRecord
    var originals: [Original] = []
    var details: Timed<ItemDetails>?

    /// A reference of another version counts as missing, and is written again.
    static let version = 1
    static let maxBytes = 1 << 20

    init(_ record: ItemRecord) {
        self.record = record
        // Other nodes have no use for this node's mark.
        self.record.uploadSince = nil
    }

    private enum CodingKeys: String, CodingKey {
        case version, originals, details
    }

    /// The members of the record stand among the others.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        version = try members.decode(Int.self, forKey: .version)
        record = try ItemRecord(from: decoder)
        originals = try members.decode([Original].self, forKey: .originals)
        details = try members.decodeIfPresent(Timed<ItemDetails>.self, forKey: .details)
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(version, forKey: .version)
        try record.encode(to: encoder)
        try members.encode(originals, forKey: .originals)
        try members.encodeIfPresent(details, forKey: .details)
    }

    /// Returns whether it shows some of these originals, as they were resolved then.
    func has(some record: ItemRecord) -> Bool {
        record.resolutions.contains { other in
            other.levels.contains { level in
                // Dates have whole milliseconds, but not as numbers.
                self.record.resolution(of: level).map { known in
                    known.original == other.original
                        && abs(known.resolvedAt.timeIntervalSince(other.resolvedAt)) < 0.001
                } ?? false
            }
        }
    }

    /// Removes what was resolved before a purge, and what claims a date from the future, of which nothing says
    /// whether it was.
    mutating func remove(purgedAt purged: Date, now: Date) {
        let latest = now.addingTimeInterval(FreshnessPolicy.tolerance)
        record.resolutions.removeAll { $0.resolvedAt <= purged || $0.resolvedAt > latest }
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// Returns nil if the bytes are not a reference of that item in this version.
    init?(_ bytes: [UInt8], of item: Item) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        guard let reference = try? decoder.decode(Self.self, from: Data(bytes)),
            reference.version == Self.version, reference.record.item == item.description,
            reference.fault == nil
        else { return nil }
        self = reference
    }

    /// Says why bytes are not a reference.
    static func fault(of bytes: [UInt8]) -> String {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        let reference = try? decoder.decode(Self.self, from: Data(bytes))
        return reference?.fault ?? "it is not a reference of its item"
    }

    /// Adds what another node wrote.
    mutating func merge(_ other: ItemReference) {
        record.merge(other.record)
        let named = record.originals
        var kept: [Original] = []
        for original in originals + other.originals where named.contains(original.digest) {
            if let index = kept.firstIndex(where: {
                $0.digest == original.digest && $0.url == original.url
            }) {
                let bundles = kept[index].bundles.merging(original.bundles) { own, _ in own }
                if kept[index].fetchedAt < original.fetchedAt { kept[index] = original }
                kept[index].bundles = bundles
            } else {
                kept.append(original)
            }
        }
        originals = kept.sorted { ($0.digest, $0.url) < ($1.digest, $1.url) }
        if let others = other.details, (details?.fetchedAt ?? .distantPast) < others.fetchedAt {
            details = others
        }
    }
}

extension ItemReference.Original {
    init(_ record: OriginalRecord, _ digest: Digest, _ summary: SummaryRecord?) {
        self.init(
            digest: digest, url: record.url, byteCount: record.byteCount, width: record.width,
            height: record.height, format: record.format, entityTag: record.entityTag,
            lastModified: record.lastModified, fetchedAt: record.fetchedAt,
            freshUntil: record.freshUntil, thumbHash: summary?.thumbHash, color: summary?.color)
    }

    var record: OriginalRecord {
        OriginalRecord(
            url: url, digest: digest, byteCount: byteCount, width: width, height: height,
            format: format, entityTag: entityTag, lastModified: lastModified,
            fetchedAt: fetchedAt, freshUntil: freshUntil)
    }

    var summary: SummaryRecord? {
        guard let thumbHash, let color else { return nil }
        return SummaryRecord(
            original: digest, thumbHash: thumbHash, color: color, width: width, height: height)
    }
}
