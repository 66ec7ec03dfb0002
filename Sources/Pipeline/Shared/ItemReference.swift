import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Store

/// What every node should know of an item: which original it shows at which level, until when, and
/// how its catalog describes it. The object under ``SharedKeys/reference(_:)``, as JSON.
///
/// It is the only object that changes. Writers add what they know to what is there; of two versions
/// of a level the one that was resolved later counts.
struct ItemReference: Sendable, Equatable, Codable {
    /// What was found out about some levels at one time.
    struct Resolution: Sendable, Equatable, Codable {
        /// Keys of levels, in order.
        var levels: [String]
        var original: Digest?
        var url: String?
        var failure: FailureRecord?
        var trace: Trace?
        var resolvedAt: Date
        var freshUntil: Date
    }

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

    struct Details: Sendable, Equatable, Codable {
        var value: ItemDetails
        var fetchedAt: Date
        var expiresAt: Date
    }

    var version = Self.version
    /// `tvmaze/show/1`.
    var item: String
    var resolutions: [Resolution] = []
    var originals: [Original] = []
    var details: Details?

    /// A reference of another version counts as missing, and is written again.
    static let version = 1
    static let maxBytes = 1 << 20

    init(item: String) { self.item = item }

    /// When the newest level was resolved; nil without any.
    var resolvedAt: Date? { resolutions.map(\.resolvedAt).max() }

    func resolution(of level: String) -> Resolution? {
        resolutions.first { $0.levels.contains(level) }
    }

    /// Returns whether this was found out about a level, at that time.
    func has(_ binding: BindingRecord) -> Bool {
        // Dates have whole milliseconds, but not as numbers.
        resolution(of: binding.level).map { known in
            known.original == binding.original
                && abs(known.resolvedAt.timeIntervalSince(binding.resolvedAt)) < 0.001
        } ?? false
    }

    /// Removes what was resolved before a purge, and what claims a date from the future, of which nothing says
    /// whether it was.
    mutating func remove(purgedAt purged: Date, now: Date) {
        let latest = now.addingTimeInterval(FreshnessPolicy.tolerance)
        resolutions.removeAll { $0.resolvedAt <= purged || $0.resolvedAt > latest }
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
            reference.version == Self.version, reference.item == item.description
        else { return nil }
        self = reference
    }

    /// Adds what another node wrote.
    mutating func merge(_ other: ItemReference) {
        var newest: [String: Resolution] = [:]
        for resolution in resolutions + other.resolutions {
            for level in resolution.levels
            where newest[level].map({ $0.resolvedAt < resolution.resolvedAt }) ?? true {
                newest[level] = resolution
            }
        }
        var merged: [Resolution] = []
        for (level, resolution) in newest.sorted(by: { $0.key < $1.key }) {
            var resolution = resolution
            resolution.levels = []
            let known = merged.firstIndex {
                var other = $0
                other.levels = []
                return other == resolution
            }
            if let known {
                merged[known].levels.append(level)
            } else {
                resolution.levels = [level]
                merged.append(resolution)
            }
        }
        resolutions = merged
        let named = Set(merged.compactMap(\.original))
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

extension ItemReference.Resolution {
    init(_ binding: BindingRecord) {
        self.init(
            levels: [binding.level], original: binding.original, url: binding.url,
            failure: binding.failure, trace: Trace(encoded: binding.trace),
            resolvedAt: binding.resolvedAt, freshUntil: binding.freshUntil)
    }

    func binding(_ level: String, of item: String) -> BindingRecord {
        BindingRecord(
            item: item, level: level, original: original, url: url, failure: failure,
            trace: trace?.encoded() ?? [], resolvedAt: resolvedAt, freshUntil: freshUntil)
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
        var record = OriginalRecord(url: url, fetchedAt: fetchedAt, freshUntil: freshUntil)
        record.digest = digest
        record.byteCount = byteCount
        record.width = width
        record.height = height
        record.format = format
        record.entityTag = entityTag
        record.lastModified = lastModified
        return record
    }

    /// What a run says of it.
    var picture: WarmedPicture {
        WarmedPicture(
            digest: digest, byteCount: byteCount, summary: summary.flatMap(PictureSummary.init),
            thumbnails: [:])
    }

    var summary: SummaryRecord? {
        guard let thumbHash, let color else { return nil }
        return SummaryRecord(
            original: digest, thumbHash: thumbHash, color: color, width: width, height: height)
    }
}
