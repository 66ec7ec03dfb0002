import Catalog
package import Hashing
package import Imaging
import Store

/// The result of a warm run. The JSON summary has these names.
package struct WarmSummary: Sendable, Equatable, Codable {
    /// Items processed.
    package var items = 0
    /// Originals downloaded and stored.
    package var originals = 0
    /// Bytes of originals that were transferred, including unusable ones.
    package var bytesFetched = 0
    /// Bytes of originals and thumbnails that were stored.
    package var bytesStored = 0
    /// Thumbnails rendered.
    package var thumbnails = 0
    /// Thumbnails that were stored already.
    package var reused = 0
    /// Items without a usable picture: absent, or every candidate is broken.
    package var placeholders = 0
    /// Items whose origin was not asked, because an earlier failure is remembered. They are also counted as
    /// placeholders or failed.
    package var notTried = 0
    /// Items whose picture isn't the first choice.
    package var fallbacks = 0
    /// Items to retry, because an origin or this service failed, or the shared store lacks them.
    package var failed = 0
    /// Items whose thumbnails were stored by the run, or before it, and evicted before it ended.
    package var evicted = 0
    /// Items that were listed and did not begin, because the cache evicted others.
    package var left = 0
    /// What of the run does not fit into what is free of the cache's limits; nil if all does.
    package var shortage: WarmShortage?
    package var seconds = 0.0
    /// Requests to catalogs and origins, retries included.
    package var requests = 0
    /// How many of these repeated an earlier one, by the reason: `status 503`, or a sentence.
    package var repeats: [String: Int] = [:]
    /// What buckets were asked for, by their folders; nil if none was.
    package var buckets: [String: BucketUse]?
    /// Pages of the list that were read from the store because their source could not be read.
    package var stalePages: [StalePage] = []
    /// Seconds that the network needs for these requests at the allowed rates and concurrency.
    package var networkSeconds = 0.0
    /// What the last dry run expected of this list; nil if there was none.
    package var forecast: WarmForecast?
    /// What was pinned; nil if nothing had to be.
    package var pins: PinReceipt?
    /// Of a run with a queue, else nil: its name.
    package var run: String?
    /// Items of its list.
    package var listed: Int?
    /// Items that workers gave up.
    package var dead: Int?
    /// Jobs that workers tried again.
    package var retries: Int?
    /// Items that the shared store lacks, and the first of them; nil if the list can't be compared with it.
    package var missing: Int?
    package var named: [String]?

    package init() {}

    /// Whether items failed, are not stored or not pinned, or the list may be incomplete.
    package var isPartial: Bool {
        failed > 0 || evicted > 0 || left > 0 || pins?.refused.isEmpty == false
            || !stalePages.isEmpty
    }
}

/// The stored picture of an item.
package struct WarmedPicture: Sendable, Equatable {
    package var digest: Digest
    package var byteCount: Int?
    package var summary: PictureSummary?
    /// Digests of the thumbnails by level and extension, `m.webp`.
    package var thumbnails: [String: Digest]
}

extension WarmSummary {
    /// Counts an item, and what was fetched and made for it.
    package mutating func count(_ ending: WarmedItem.Ending, _ result: MissResult? = nil) {
        items += 1
        switch ending {
        case .picture: break
        case .fallback: fallbacks += 1
        case .placeholder: placeholders += 1
        case .failed: failed += 1
        }
        guard let result else { return }
        if result.isRemembered { notTried += 1 }
        originals += result.originalsFetched
        bytesFetched += result.bytesFetched
        bytesStored += result.stored.bytes
        thumbnails += result.thumbnails
        reused += result.reused
    }

    /// Adds the items of another run, and what they took.
    package mutating func add(_ other: WarmSummary) {
        items += other.items
        originals += other.originals
        bytesFetched += other.bytesFetched
        bytesStored += other.bytesStored
        thumbnails += other.thumbnails
        reused += other.reused
        placeholders += other.placeholders
        notTried += other.notTried
        fallbacks += other.fallbacks
        failed += other.failed
        evicted += other.evicted
        left += other.left
        requests += other.requests
        dead = Self.sum(dead, other.dead)
        retries = Self.sum(retries, other.retries)
        repeats.merge(other.repeats) { $0 + $1 }
        if let others = other.buckets { buckets = (buckets ?? [:]).merging(others) { $0 + $1 } }
    }

    /// Whether a run can have these counts, so that many can be added. Those of a neighbor may say anything.
    package var isPossible: Bool {
        let counts =
            [
                items, originals, bytesFetched, bytesStored, thumbnails, reused, placeholders,
                notTried, fallbacks, failed, evicted, left, requests, dead ?? 0, retries ?? 0,
            ] + repeats.values + (buckets ?? [:]).values.flatMap(\.counts)
        return counts.allSatisfy((0...1 << 53).contains) && repeats.count <= 10_000
    }

    private static func sum(_ one: Int?, _ other: Int?) -> Int? {
        one == nil && other == nil ? nil : (one ?? 0) + (other ?? 0)
    }
}
