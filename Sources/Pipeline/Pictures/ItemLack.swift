import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Store

/// What a record lacks of what a caller wants. Pure. Misses, runs, workers and the reconciler ask
/// ``ItemRecord/lacks(_:_:at:stored:)``, of the record in this node's index or of that in the shared store.
struct ItemLack: Equatable {
    enum State: Equatable {
        /// A thumbnail is not stored.
        case missing
        /// All thumbnails are stored, and one expired.
        case stale
        case fresh
    }

    var state = State.fresh
    /// Thumbnails that are not stored.
    var thumbnails = 0
    /// Thumbnails that are stored.
    var reused = 0
    /// Thumbnails in whose place a remembered failure leaves only the placeholder.
    var placeholders = 0
    /// Whether the origin has to be asked.
    var asksOrigin = false
    /// The remembered failure, if it leaves only placeholders.
    var failure: Failure?
    /// Why the stored picture is not the first choice; nil if it is.
    var fallback: String?

    /// Whether a remembered failure leaves only placeholders.
    var isPlaceholder: Bool { failure != nil }
}

extension ItemRecord {
    /// - Parameter stored: whether a thumbnail of an original is stored.
    func lacks(
        _ wanted: Set<Rendition>, _ policy: FreshnessPolicy, at now: Date,
        stored: (Digest, Rendition) -> Bool
    ) -> ItemLack {
        var lack = ItemLack()
        var isStale = false
        var failure: Failure?
        for rendition in wanted {
            let known = resolution(of: rendition.level.key)?.believed(policy, at: now)
            let isFresh = known.map { $0.freshUntil > now } ?? false
            if !isFresh { lack.asksOrigin = true }
            if let known, let original = known.original {
                if stored(original, rendition) {
                    lack.reused += 1
                    if !isFresh { isStale = true }
                } else {
                    lack.thumbnails += 1
                }
            } else if let known, isFresh {
                // A failure that is still remembered isn't tried again.
                lack.placeholders += 1
                failure = known.failure ?? Failure(.absent, "\(item) has no picture.")
                failure?.until = known.freshUntil
            } else {
                lack.thumbnails += 1
            }
        }
        if lack.placeholders == wanted.count { lack.failure = failure }
        let levels = Set(wanted.map(\.level.key))
        lack.fallback = resolutions.filter { !levels.isDisjoint(with: $0.levels) }
            .compactMap { $0.trace?.trace?.fallback }.min()
        lack.state = lack.thumbnails > 0 ? .missing : isStale ? .stale : .fresh
        return lack
    }
}

extension ItemLack {
    /// The lack of a further item that shows the same picture, once the run has made that.
    var repeated: ItemLack {
        var lack = self
        lack.asksOrigin = false
        (lack.thumbnails, lack.reused) = (0, thumbnails + reused)
        lack.state = .fresh
        return lack
    }

    /// Returns the lack for a run that asks for fresh items again, too.
    func asked(_ again: WarmRequest.Again) -> ItemLack {
        guard again == .all || again == .placeholders && isPlaceholder else { return self }
        var lack = self
        lack.asksOrigin = true
        if isPlaceholder { (lack.state, lack.failure) = (.missing, nil) }
        if lack.state == .fresh { lack.state = .stale }
        return lack
    }
}

/// What a resolution says at one time, its dates corrected if they are implausible.
struct BelievedResolution {
    private(set) var original: Digest?
    /// The URL the original came from.
    let url: String?
    /// The failure that left it without an original, or without a fresh one.
    private(set) var failure: Failure?
    let resolvedAt: Date
    let freshUntil: Date
    /// Whether only private caches may keep it.
    let isPrivate: Bool
    fileprivate let now: Date

    /// Whether it is not asked for again because of a failure.
    var isRemembered: Bool { failure.map { $0.until > now } ?? false }

    /// Returns the same without an original, if that is blocked, wherever this node has it from.
    func unlessBlocked(_ blocks: Blocks) -> Self {
        guard let block = blocks.failure(of: original) ?? blocks.failure(ofURL: url) else {
            return self
        }
        var blocked = self
        (blocked.original, blocked.failure) = (nil, block)
        return blocked
    }
}

extension ItemRecord.Resolution {
    func believed(_ policy: FreshnessPolicy, at now: Date) -> BelievedResolution {
        BelievedResolution(
            original: original, url: url,
            failure: failure.flatMap(Failure.init).map { policy.believed($0, now: now) },
            resolvedAt: resolvedAt,
            freshUntil: policy.believed(freshUntil, since: resolvedAt, now: now),
            isPrivate: FreshnessPolicy.isPrivate(freshUntil), now: now)
    }
}
