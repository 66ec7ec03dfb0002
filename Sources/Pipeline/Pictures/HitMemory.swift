import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store
import Synchronization
import Threads

/// The pictures in memory. A picture that was read before a purge or a newer picture isn't
/// published after it. Any thread.
final class HitMemory: Sendable {
    /// Bytes a hit takes besides its picture: key, list node, prepared headers.
    private static let overhead = 2_048

    /// Hits that left memory since the start.
    let retired = Counter()
    private let hits: MemoryTier<PictureKey, Hit>
    /// For the bytes of hits, and of those that clients still have to take after they were evicted.
    private let room: Room
    /// Evicted bytes may be one part in this many of the others, and at least ``leastEvicted``.
    private static let evictedShare = 8
    private static let leastEvicted = 1 << 20
    /// The thumbnails that were in memory or were made since the start, as far as the table reaches. Its entries
    /// change under the lock of the hits, so that a picture that was read before a purge or before a newer
    /// picture is not entered after it.
    let stored: CompactTable<StoredPicture>
    private let epochs = Epochs()
    let avifs = StoredAVIFs()
    private let now: @Sendable () -> Date
    /// False if pictures are only stored, as by a warm run. Then nothing is kept.
    private let isUsed: Bool
    /// Returns whether the current work may insert pictures.
    private let mayInsert: @Sendable () -> Bool
    /// Returns whether pictures of an item may be kept; never waits.
    private let mayKeep: @Sendable (Item) -> Bool

    /// A part of the memory for pictures is for ``StoredPicture``: an eighth holds those of ten times
    /// as many bytes, if they have 14 kB.
    private static let storedShare = 8
    /// Enough for 7,000 pictures. It counts for the program, whatever the limit for pictures is.
    private static let leastStored = 1 << 20
    /// Bytes for a caller's table of names of pictures, which needs a third of what they need.
    let namesBytes: Int

    /// - Parameters:
    ///   - bytes: limit of the pictures in memory, with what is known of those on disk.
    ///   - isUsed: whether hits are answered from it.
    ///   - mayInsert: returns whether the current work may insert pictures; never waits.
    ///   - mayKeep: whether pictures of an item may be kept; never waits.
    init(
        bytes: Int, isUsed: Bool = true,
        mayInsert: @escaping @Sendable () -> Bool = { true },
        mayKeep: @escaping @Sendable (Item) -> Bool = { _ in true },
        now: @escaping @Sendable () -> Date
    ) {
        self.now = now
        self.mayInsert = mayInsert
        self.mayKeep = mayKeep
        self.isUsed = isUsed
        let storedBytes = max(Self.leastStored, bytes / Self.storedShare)
        namesBytes = storedBytes / 3
        let stored = CompactTable<StoredPicture>(bytes: storedBytes)
        self.stored = stored
        let maxCost = storedBytes > Self.leastStored ? bytes - storedBytes - namesBytes : bytes
        room = Room(limit: maxCost + max(Self.leastEvicted, maxCost / Self.evictedShare))
        hits = MemoryTier(
            maxCost: maxCost,
            maxCount: 1_000_000,
            takeUse: { $0.takeUse() },
            onRemoval: { [retired] hit in
                hit.retire()
                retired.add()
                stored.setInMemory(false, hit.name)
            })
    }

    var load: (count: Int, bytes: Int, evictions: Int) { (hits.count, hits.cost, hits.evictions) }

    /// The blobs in memory.
    var digests: [Digest] { hits.allValues.map(\.digest) }

    func hit(_ key: PictureKey) -> Hit? { hits.value(key) }

    /// Forgets a picture whose file is gone or damaged.
    func forget(_ picture: StoredPicture, _ name: Fingerprint) {
        if stored.has(picture, name) { stored.remove(name) }
    }

    /// Returns whether a picture that was read for a response should be inserted. See
    /// ``MemoryTier/admits(_:cost:)``.
    func admits(_ name: Fingerprint, bytes: Int) -> Bool {
        hits.admits(Int(truncatingIfNeeded: name.first), cost: bytes + Self.overhead)
    }

    /// Inserts a picture that was read from disk, unless it was replaced or removed meanwhile.
    /// Returns the hit if memory has it now.
    func admit(_ picture: Picture, as known: StoredPicture, _ key: PictureKey) -> Hit? {
        let name = Fingerprint(key)
        return insert(picture, key, name) { [stored] newer in
            newer == nil && stored.has(known, name)
        }
    }

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
        if !isUsed { return epoch }
        // The first AVIF of a picture drops its other forms, so it goes first.
        let ordered =
            renditions.filter { $0.format == .avif } + renditions.filter { $0.format != .avif }
        // A pyramid is read in parts, from its file.
        for rendition in ordered where !rendition.isPyramid {
            let key = PictureKey(item: item, rendition: rendition)
            if let picture = pictures[rendition], !picture.isPrivate {
                // The thumbnails of a miss are published as soon as they are made, and again once all
                // are stored.
                insert(picture, key, Fingerprint(key)) { $0?.shows(picture) != true }
            } else {
                hits.whileUnchanged { stored.remove(Fingerprint(key)) }
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
        insert(picture, key, Fingerprint(key)) { [epochs] newer in
            (newer == nil || newer === old) && epochs.value(of: key.item) == epoch
        }
    }

    /// Removes hits for a purge.
    ///
    /// - Parameter names: of all those pictures; nil forgets every picture on disk.
    func removeAll(_ names: [Fingerprint]?, where isUnwanted: (PictureKey) -> Bool) {
        epochs.advanceAll()
        // Before the hits, so that none comes back from here.
        hits.whileUnchanged {
            if let names {
                for name in names { stored.remove(name) }
            } else {
                stored.removeAll()
            }
        }
        hits.removeAll(where: isUnwanted)
    }

    @discardableResult private func insert(
        _ picture: Picture, _ key: PictureKey, _ name: Fingerprint, where isWanted: (Hit?) -> Bool
    ) -> Hit? {
        if !isUsed || picture.isPrivate || picture.bytes.isEmpty { return nil }
        let now = now()
        // Without room it is on disk only, until clients have taken what was evicted.
        let hold = room.take(picture.bytes.count)
        let hit = Hit(picture, key, name, hold, at: now)
        let isFirstAVIF =
            picture.format == .avif && !picture.isPlaceholder && stored.value(name) == nil
        let isKept = hits.insert(
            hit, for: key, cost: hold == nil ? .max : picture.bytes.count + Self.overhead
        ) { newer in
            // Asked here, so that a change which is noticed later finds the picture and drops it.
            guard isWanted(newer), mayInsert(), mayKeep(key.item) else { return false }
            if picture.isPlaceholder {
                stored.remove(name)
            } else {
                stored.enter(StoredPicture(picture, at: now), name)
            }
            return true
        }
        if isFirstAVIF, stored.value(name) != nil { forgetOtherForms(of: key) }
        guard isKept else { return nil }
        // After the removal of the hit that it replaces, which says the opposite.
        stored.setInMemory(true, name)
        return hit
    }

    /// Drops the hits of a picture in the formats that are made for any client, so that clients that
    /// prefer AVIF find it now. The others read them from disk once.
    private func forgetOtherForms(of key: PictureKey) {
        avifs.seen.add()
        for format in [ThumbnailFormat.webp, .jpeg] {
            hits.remove(
                PictureKey(
                    item: key.item,
                    rendition: Rendition(level: key.rendition.level, format: format)))
        }
    }
}

/// Counts the changes of each key, so that data read before a change isn't published after it.
///
/// Keys share counters. A change of one key may therefore suppress a publication of another, which
/// does no harm.
final class Epochs: Sendable {
    private static let stripes = 1_024

    private let counts = Mutex([UInt64](repeating: 0, count: stripes))

    func value(of key: some Hashable) -> UInt64 {
        let stripe = Self.stripe(key)
        return counts.withLock { $0[stripe] }
    }

    func advance(_ key: some Hashable) {
        let stripe = Self.stripe(key)
        counts.withLock { $0[stripe] &+= 1 }
    }

    func advanceAll() {
        counts.withLock { counts in
            for stripe in counts.indices { counts[stripe] &+= 1 }
        }
    }

    private static func stripe(_ key: some Hashable) -> Int {
        Int(UInt(bitPattern: key.hashValue) % UInt(stripes))
    }
}

extension CompactTable<StoredPicture> {
    /// Enters a picture, or replaces it. The stamp of an unchanged file stays.
    func enter(_ picture: StoredPicture, _ name: Fingerprint) {
        var picture = picture
        if let old = value(name), old.facts.digest == picture.facts.digest {
            picture.stamp = old.stamp
        }
        set(picture, for: name)
    }

    func setInMemory(_ isInMemory: Bool, _ name: Fingerprint) {
        update(name) { $0.isInMemory = isInMemory }
    }

    /// Keeps the stamp of a file whose bytes matched, unless the entry was replaced meanwhile.
    func setStamp(_ stamp: FileStamp?, of picture: StoredPicture, _ name: Fingerprint) {
        update(name) { if $0.facts.digest == picture.facts.digest { $0.stamp = stamp } }
    }

    /// Returns whether the entry is still the same thumbnail with the same dates.
    func has(_ picture: StoredPicture, _ name: Fingerprint) -> Bool {
        value(name).map { known in
            known.facts == picture.facts && known.life.freshDate == picture.life.freshDate
        } ?? false
    }
}

/// What this process knows of stored AVIFs, which it shows in the place of other formats to clients that
/// take them. Any thread.
final class StoredAVIFs: Sendable {
    /// Looks that are under way at a time: each request for another format may want one.
    private static let mostLooks = 16

    /// AVIFs that came into memory since the start.
    let seen = Counter()
    /// Increases when AVIFs were stored, perhaps by another process, of which this one doesn't know.
    let others = Counter()
    private let counted = Mutex<(mark: IndexMark?, count: Int)>((nil, 0))
    private let looks = Mutex(0)

    /// Notices those that were stored since the last call.
    func follow(_ index: Index) async {
        let mark = index.mark
        let last = counted.withLock { $0 }
        // Most of the time nothing has changed.
        if let mark, mark == last.mark { return }
        guard
            // An index that can't be read is asked again in a second.
            let count = try? await index.thumbnailCount(format: ThumbnailFormat.avif.rawValue)
        else { return }
        counted.withLock { $0 = (mark, count) }
        if count > last.count { others.add() }
    }

    /// Returns false if enough is looked for already.
    func beginLook() -> Bool {
        looks.withLock { looks in
            guard looks < Self.mostLooks else { return false }
            looks += 1
            return true
        }
    }

    func endLook() { looks.withLock { $0 -= 1 } }
}
