package import FoundationEssentials
package import Hashing

/// What was found out about an item: which original it shows at which levels, or why it shows none.
///
/// The index keeps it of each item, and the shared store for all nodes. Both write it in the same way:
/// what is said of a level replaces what was said of it before.
package struct ItemRecord: Sendable, Equatable, Codable {
    /// What was found out about some levels at one time.
    package struct Resolution: Sendable, Equatable, Codable {
        /// Keys of levels as in ``ThumbnailKey/level``, in order.
        package var levels: [String]
        package var original: Digest?
        /// The URL the original came from.
        package var url: String?
        /// The failure that left it without an original, or without a fresh one.
        package var failure: FailureRecord?
        /// The candidates that were tried.
        package var trace: StoredTrace?
        package var resolvedAt: Date
        package var freshUntil: Date

        package init(
            levels: [String], original: Digest?, url: String?, failure: FailureRecord?,
            trace: StoredTrace?, resolvedAt: Date, freshUntil: Date
        ) {
            self.levels = levels
            self.original = original
            self.url = url
            self.failure = failure
            self.trace = trace
            self.resolvedAt = resolvedAt
            self.freshUntil = freshUntil
        }
    }

    /// `tvmaze/show/1`.
    package let item: String
    /// Each level is in one of them at most. In the order of their first levels.
    package var resolutions: [Resolution]
    /// Since when it waits to be put into the shared store; nil if it doesn't. Other nodes have no use for
    /// it.
    package var uploadSince: Date?

    private enum CodingKeys: String, CodingKey {
        case item, resolutions
    }

    package init(_ item: String, _ resolutions: [Resolution] = [], uploadSince: Date? = nil) {
        self.item = item
        self.resolutions = resolutions
        self.uploadSince = uploadSince
    }

    /// Returns what is known of a level; nil if it was never resolved.
    package func resolution(of level: String) -> Resolution? {
        resolutions.first { $0.levels.contains(level) }
    }

    /// The originals that it shows.
    package var originals: Set<Digest> { Set(resolutions.compactMap(\.original)) }

    /// Replaces what is known of the levels of a resolution.
    package mutating func set(_ newer: Resolution) {
        var kept = keeping { level, _ in !newer.levels.contains(level) }.resolutions
        // Levels with the same result share it.
        if let same = kept.firstIndex(where: { $0.says(newer) }) {
            kept[same].levels = (kept[same].levels + newer.levels).sorted()
        } else {
            kept.append(newer)
            kept[kept.count - 1].levels.sort()
        }
        resolutions = kept.sorted { ($0.levels.first ?? "") < ($1.levels.first ?? "") }
    }

    /// Replaces what is known of the levels of another record, and takes over its mark.
    package mutating func set(_ newer: ItemRecord) {
        for resolution in newer.resolutions { set(resolution) }
        uploadSince = newer.uploadSince ?? uploadSince
    }

    /// Adds what another node found out: of a level that both know, what was resolved later.
    package mutating func merge(_ other: ItemRecord) {
        set(other.newer(than: self))
    }

    /// Returns what it says of levels of which another record says nothing, or something earlier.
    package func newer(than other: ItemRecord) -> ItemRecord {
        keeping { level, resolution in
            other.resolution(of: level).map { $0.resolvedAt < resolution.resolvedAt } ?? true
        }
    }

    /// Returns the record with some of its levels only.
    package func keeping(_ isKept: (_ level: String, Resolution) -> Bool) -> ItemRecord {
        var record = self
        record.resolutions = resolutions.compactMap { resolution in
            var part = resolution
            part.levels.removeAll { !isKept($0, resolution) }
            return part.levels.isEmpty ? nil : part
        }
        return record
    }
}

extension ItemRecord.Resolution {
    /// Returns whether another one says the same of other levels.
    func says(_ other: Self) -> Bool {
        var other = other
        other.levels = levels
        return other == self
    }

    /// The URLs that were tried for it.
    var addresses: Set<String> { Self.addresses(url, trace) }

    static func addresses(_ url: String?, _ trace: StoredTrace?) -> Set<String> {
        Set((trace?.trace?.steps ?? []).compactMap(\.url) + [url].compactMap(\.self))
    }
}
