import Catalog
import FoundationEssentials
import Memory
import Pipeline
import Synchronization

/// Catalog pages and items as they were sent last, for a second. Any thread.
///
/// Making one takes ten milliseconds: every item's thumbnails are looked up, and everything is
/// encoded. What changes by a client's own request, such as a favorite, shows at once; what changes
/// in the background, such as sizes of thumbnails, a second later.
final class PreparedDocuments: Sendable {
    /// What a document depends on besides the cache.
    struct Key: Hashable, Sendable {
        /// Path and query as sent.
        var target: String
        var acceptLanguage: String?
        /// Whether it says what is a favorite.
        var isPrivate: Bool
    }

    /// A document with what it takes to repeat its response.
    final class Entry: Sendable {
        let document: PreparedDocument
        private let isStale: Bool
        /// The search that each request for it is, for the history.
        let search: ListQuery?
        fileprivate let madeAt: Date
        fileprivate let generation: Int
        /// Whether a request is making its successor.
        fileprivate let isRenewed = Atomic(false)

        init(
            _ document: PreparedDocument, isStale: Bool, search: ListQuery?, madeAt: Date,
            generation: Int
        ) {
            self.document = document
            self.isStale = isStale
            self.search = search
            self.madeAt = madeAt
            self.generation = generation
        }

        /// How its next response is obtained.
        var outcome: CacheOutcome { isStale ? .stale : .hit }
    }

    /// Seconds for which a document is sent. In the second half, one request makes its successor.
    private static let lifetime = 1.0
    private static let bytes = 32 << 20
    private static let count = 1_024
    /// Responses to longer targets and languages are not kept.
    private static let maxKeyBytes = 512
    /// The document, and about as much for two codings.
    private static let costFactor = 2

    private let tier = MemoryTier<Key, Entry>(maxCost: bytes, maxCount: count)

    /// Returns the entry if it may be sent. A caller that gets nil makes the document, and stores it.
    ///
    /// - Parameter generation: changes whenever a document must not be sent any more.
    func entry(_ key: Key, at now: Date, generation: Int) -> Entry? {
        guard let entry = tier.value(key), entry.generation == generation else { return nil }
        let age = now.timeIntervalSince(entry.madeAt)
        // Clocks may go back.
        guard age >= 0, age < Self.lifetime else { return nil }
        if age < Self.lifetime / 2 { return entry }
        let isFirst = entry.isRenewed.compareExchange(
            expected: false, desired: true, ordering: .relaxed
        ).exchanged
        return isFirst ? nil : entry
    }

    /// Stores an entry. One with the same bytes takes over the earlier one's codings.
    func store(
        _ document: PreparedDocument, _ outcome: CacheOutcome, search: ListQuery?, for key: Key,
        at now: Date, generation: Int
    ) -> PreparedDocument {
        let document = tier.value(key).map { $0.document.renewed(by: document) } ?? document
        guard key.target.utf8.count + (key.acceptLanguage?.utf8.count ?? 0) <= Self.maxKeyBytes
        else { return document }
        let entry = Entry(
            document, isStale: outcome == .stale, search: search, madeAt: now,
            generation: generation)
        tier.insert(entry, for: key, cost: document.body.count * Self.costFactor)
        return document
    }
}
