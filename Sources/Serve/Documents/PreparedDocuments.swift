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
        /// Whether memory has another one in its place, or none.
        fileprivate let isRemoved = Atomic(false)

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

        /// Returns whether it may be sent. Reads nothing but memory, without a lock.
        func isUsable(at now: Date, generation: Int) -> Bool {
            let age = age(at: now)
            return !isRemoved.load(ordering: .relaxed) && basis.generation == generation
                && age >= 0 && age < PreparedDocuments.lifetime
        }

        /// Returns what tells its last confirmation from others, if a renewal is due.
        func confirmation(agedAt now: Date) -> UInt64? {
            guard age(at: now) >= PreparedDocuments.lifetime / 2 else { return nil }
            return confirmedAt.load(ordering: .relaxed)
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
    /// Seconds after which it is made again in any case: reading a page renews it.
    private static let longest = 30.0
    /// Clients keep a document for this many seconds, which must not be after it has expired.
    static let maxAge = 60
    private static let bytes = 32 << 20
    private static let count = 1_024
    /// Responses to longer targets and languages are not kept.
    private static let maxKeyBytes = 512
    /// The document, and about as much for two codings, which hits have another copy of.
    private static let costFactor = 3

    private let tier: MemoryTier<Key, Entry>
    private let removals = Removals()
    private let underway = InFlight<Making, Void, Result<Made, Failure>> { _, _ in true }

    /// A document that is being made. Requests that come after a change of the generation don't join.
    private struct Making: Hashable {
        var key: Key
        var generation: Int
    }

    /// A document to send, and how it was obtained.
    struct Made: Sendable {
        var document: PreparedDocument
        var outcome: CacheOutcome
        /// The search that each request for it is, for the history.
        var search: ListQuery?
        /// When what it says has to be asked for again.
        var expiresAt = Date.distantFuture
    }

    init() {
        tier = MemoryTier(
            maxCost: Self.bytes, maxCount: Self.count,
            onRemoval: { [removals] entry in
                entry.isRemoved.store(true, ordering: .relaxed)
                removals.count.add(1, ordering: .relaxed)
            })
    }

    /// Entries that were removed or replaced since the start.
    var removed: Int { removals.count.load(ordering: .relaxed) }

    /// Returns what `make` makes. Requests for the same document share one call.
    ///
    /// - Throws: ``Failure`` of `make`; of kind `canceled` if the request was canceled.
    func made(
        _ key: Key, generation: Int,
        _ make: @escaping @Sendable () async throws(Failure) -> Made
    ) async throws(Failure) -> Made {
        let making = Making(key: key, generation: generation)
        let landing = await underway.value(for: making, ()) { _ in
            do throws(Failure) {
                return .success(try await make())
            } catch {
                return .failure(error)
            }
        }
        guard let landing else { throw Failure.canceled }
        return try landing.value.get()
    }

    /// Requests that wait for a document that is being made.
    func waiting(for key: Key, generation: Int) -> Int {
        underway.waiting(for: Making(key: key, generation: generation))
    }

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

    /// Returns the entry if it may be sent as it is. Renews nothing.
    func usable(_ key: Key, at now: Date, generation: Int) -> Entry? {
        tier.value(key).flatMap { $0.isUsable(at: now, generation: generation) ? $0 : nil }
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
