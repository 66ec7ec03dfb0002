import Catalog
import FoundationEssentials
import Imaging
import Memory
import Store

/// The pictures in memory. A picture that was read before a purge or a newer picture isn't
/// published after it. Any thread.
final class HitMemory: Sendable {
    /// Bytes a hit takes besides its picture: key, list node, prepared headers.
    private static let overhead = 2_048

    /// Hits that left memory since the start.
    let retired = Counter()
    private let hits: MemoryTier<PictureKey, Hit>
    private let epochs = Epochs()
    private let now: @Sendable () -> Date

    /// - Parameter bytes: limit of the pictures in memory.
    init(bytes: Int, now: @escaping @Sendable () -> Date) {
        self.now = now
        hits = MemoryTier(
            maxCost: bytes, maxCount: 1_000_000, takeUse: { $0.takeUse() },
            onRemoval: { [retired] hit in
                hit.retire()
                retired.add()
            })
    }

    var load: (count: Int, bytes: Int, evictions: Int) { (hits.count, hits.cost, hits.evictions) }

    /// The blobs in memory.
    var digests: [Digest] { hits.allValues.map(\.digest) }

    func hit(_ key: PictureKey) -> Hit? { hits.value(key) }

    func addCost(_ bytes: Int, of hit: Hit) {
        hits.addCost(bytes, for: hit.key) { $0 === hit }
    }

    /// Returns a number that changes when the item is published or purged.
    func epoch(of item: Item) -> UInt64 { epochs.value(of: item) }

    /// Inserts the pictures of an item, and drops its other hits among `renditions`. Returns the
    /// new epoch.
    func publish(
        _ pictures: [Rendition: Picture], of item: Item, among renditions: Set<Rendition>
    ) -> UInt64 {
        epochs.advance(item)
        let epoch = epochs.value(of: item)
        for rendition in renditions {
            let key = PictureKey(item: item, rendition: rendition)
            if let picture = pictures[rendition] {
                insert(picture, key) { _ in true }
            } else {
                hits.remove(key)
            }
        }
        return epoch
    }

    /// Inserts a picture that was read from disk, unless a newer one was published since `epoch`.
    ///
    /// - Parameter old: the hit that it replaces.
    func insert(
        _ picture: Picture, _ key: PictureKey, since epoch: UInt64, replacing old: Hit? = nil
    ) {
        insert(picture, key) { [epochs] newer in
            (newer == nil || newer === old) && epochs.value(of: key.item) == epoch
        }
    }

    /// Removes hits for a purge.
    func removeAll(where isUnwanted: (PictureKey) -> Bool) {
        epochs.advanceAll()
        hits.removeAll(where: isUnwanted)
    }

    private func insert(_ picture: Picture, _ key: PictureKey, where isWanted: (Hit?) -> Bool) {
        hits.insert(
            Hit(picture, key, at: now()), for: key, cost: picture.bytes.count + Self.overhead,
            where: isWanted)
    }
}
