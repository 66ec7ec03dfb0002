import Catalog
import FoundationEssentials
import Memory
import Pipeline
import Store
import Synchronization

/// Catalog pages and items as they were sent last, for a second, and on while nothing changes that
/// is stored. Any thread.
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
        fileprivate let basis: Basis
        /// Until when it may be sent on while its basis holds.
        private let lastAt: Date
        /// When it was made, or found to be true still, in seconds since 2001.
        private let confirmedAt: Atomic<UInt64>
        /// Whether a request is making its successor, or looks whether it needs one.
        private let isRenewed = Atomic(false)

        fileprivate init(
            _ document: PreparedDocument, isStale: Bool, search: ListQuery?, _ basis: Basis,
            until freshUntil: Date
        ) {
            self.document = document
            self.isStale = isStale
            self.search = search
            self.basis = basis
            lastAt = min(basis.at.addingTimeInterval(PreparedDocuments.longest), freshUntil)
            confirmedAt = Atomic(basis.at.timeIntervalSinceReferenceDate.bitPattern)
        }

        fileprivate func age(at now: Date) -> TimeInterval {
            let bits = confirmedAt.load(ordering: .relaxed)
            return now.timeIntervalSinceReferenceDate - TimeInterval(bitPattern: bits)
        }

        /// Returns whether the caller is the one that renews it.
        fileprivate func beginRenewal() -> Bool {
            isRenewed.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
        }

        /// Prolongs it if nothing has changed.
        fileprivate func prolong(at now: Date, _ mark: IndexMark?) -> Bool {
            guard let mark, mark == basis.mark, !isStale, now < lastAt else { return false }
            confirmedAt.store(
                now.timeIntervalSinceReferenceDate.bitPattern, ordering: .relaxed)
            isRenewed.store(false, ordering: .relaxed)
            return true
        }

        /// How its next response is obtained.
        var outcome: CacheOutcome { isStale ? .stale : .hit }
    }

    /// What a document was made from.
    struct Basis: Sendable {
        /// When its making ended.
        var at: Date
        /// Changes whenever a document must not be sent any more.
        var generation: Int
        /// Of what was stored when its making began.
        var mark: IndexMark?
    }

    /// Seconds for which a document is sent. In the second half, one request looks whether something
    /// has changed, and makes its successor.
    private static let lifetime = 1.0
    /// Seconds after which it is made anew in any case: reading a page renews it.
    private static let longest = 30.0
    /// Clients keep a document for this many seconds, which must not be after it has expired.
    static let maxAge = 60
    private static let bytes = 32 << 20
    private static let count = 1_024
    /// Responses to longer targets and languages are not kept.
    private static let maxKeyBytes = 512
    /// The document, and about as much for two codings.
    private static let costFactor = 2

    private let tier = MemoryTier<Key, Entry>(maxCost: bytes, maxCount: count)
    /// Documents that are being made, with the requests that wait for them.
    private let underway = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Calls `make` unless another request is making the document; then waits for its end and returns
    /// nil.
    func unlessUnderway<Value, Failure: Error>(
        _ key: Key, _ make: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        let isFirst = underway.withLock { underway in
            if underway[key] != nil { return false }
            underway[key] = []
            return true
        }
        guard isFirst else {
            await withCheckedContinuation { continuation in
                let isOver = underway.withLock { underway in
                    underway[key]?.append(continuation) == nil
                }
                if isOver { continuation.resume() }
                StateChange.tell()
            }
            return nil
        }
        defer {
            let waiting = underway.withLock { $0.removeValue(forKey: key) } ?? []
            for continuation in waiting { continuation.resume() }
        }
        return try await make()
    }

    /// Requests that wait for a document that is being made.
    func waiting(for key: Key) -> Int { underway.withLock { $0[key]?.count ?? 0 } }

    /// Returns the entry if it may be sent. A caller that gets nil makes the document, and stores it.
    ///
    /// - Parameter mark: returns the mark of what is stored now.
    func entry(
        _ key: Key, at now: Date, generation: Int, mark: () -> IndexMark?
    ) -> Entry? {
        guard let entry = tier.value(key), entry.basis.generation == generation else { return nil }
        let age = entry.age(at: now)
        if age >= 0, age < Self.lifetime / 2 { return entry }
        if entry.beginRenewal() { return entry.prolong(at: now, mark()) ? entry : nil }
        // Clocks may go back.
        return age >= 0 && age < Self.lifetime ? entry : nil
    }

    /// Stores an entry. One with the same bytes takes over the earlier one's codings.
    ///
    /// - Parameter expiresAt: when what it says has to be asked for again.
    func store(
        _ document: PreparedDocument, _ outcome: CacheOutcome, search: ListQuery?, for key: Key,
        _ basis: Basis, expiresAt: Date
    ) -> PreparedDocument {
        let document = tier.value(key).map { $0.document.renewed(by: document) } ?? document
        guard key.target.utf8.count + (key.acceptLanguage?.utf8.count ?? 0) <= Self.maxKeyBytes
        else { return document }
        let entry = Entry(
            document, isStale: outcome == .stale, search: search, basis,
            until: expiresAt.addingTimeInterval(-Double(Self.maxAge)))
        tier.insert(entry, for: key, cost: document.body.count * Self.costFactor)
        return document
    }
}
