import Hashing
import Synchronization
import Threads

/// What was evicted since the start.
package struct EvictionStatus: Sendable, Equatable {
    package var originals = 0
    package var thumbnails = 0
    package var orphans = 0
    package var bytes = 0
}

/// Removes the blobs that are worth least until enough is free. Decisions are in ``Eviction``. Any
/// thread.
final class Evictor: Sendable {
    /// Blobs that are compared at a time.
    private static let sampleSize = 128
    /// Samples without a victim before it gives up: everything is pinned, or gone.
    private static let maxFruitless = 16

    private let blobs: BlobStore
    private let index: Index
    private let pins: PinnedItems
    private let sample: BlobSample
    private let removed = Mutex(EvictionStatus())

    init(_ blobs: BlobStore, _ index: Index, _ pins: PinnedItems) {
        self.blobs = blobs
        self.index = index
        self.pins = pins
        sample = BlobSample(blobs.files.layout)
    }

    var total: EvictionStatus { removed.withLock { $0 } }

    /// Removes blobs in steps until that much is free. Returns what was freed, less than asked for if the
    /// rest is pinned.
    func free(_ need: DiskUsage) async throws(StoreError) -> DiskUsage {
        var freed = DiskUsage()
        var fruitless = 0
        while !freed.covers(need), fruitless < Self.maxFruitless {
            let rest = DiskUsage(
                bytes: max(0, need.bytes - freed.bytes), files: max(0, need.files - freed.files))
            let step = try await self.step(rest)
            freed += step
            fruitless = step.files == 0 ? fruitless + 1 : 0
        }
        return freed
    }

    private func step(_ need: DiskUsage) async throws(StoreError) -> DiskUsage {
        let found = try await blobs.threads.run { [sample] () throws(StoreError) in
            try sample.take(Self.sampleSize)
        }
        if found.isEmpty { return DiskUsage() }
        let (candidates, uses) = try await candidates(found)
        return try await remove(Eviction.victims(candidates, need: need), uses)
    }

    /// Returns what the decision needs to know of blobs.
    func candidates(
        _ found: [BlobWalk.Found]
    ) async throws(StoreError) -> (candidates: [Eviction.Candidate], uses: [Digest: BlobUse]) {
        var uses: [Digest: BlobUse] = [:]
        do throws(StoreError) {
            uses = try await index.uses(of: found.map(\.digest))
        } catch {
            // Room is needed all the more while the index can't be read, but then nothing says what
            // is pinned.
            if error == .stopped || !pins.isEmpty { throw error }
        }
        let pinned = try await pins.pinned(
            among: Set(uses.values.filter { !$0.thumbnailOf.isEmpty }.flatMap(\.items)))
        let originals = try await blobs.present(Set(uses.values.flatMap(\.thumbnailOf)))
        let now = blobs.now()
        let isNewIndex = try await blobs.isIndexNew()
        let awaitsRows = isNewIndex ? await blobs.awaitsRows() : false
        let candidates = found.map { found in
            let use = uses[found.digest] ?? BlobUse()
            let written = max(0, now - found.writtenAt)
            let used = blobs.uses.age(of: found.digest, at: now) ?? .max
            let role: Eviction.Role =
                if !use.thumbnailOf.isEmpty {
                    .thumbnail(hasOriginal: use.thumbnailOf.contains(where: originals.contains))
                } else if use.isOriginal {
                    .original(hasThumbnails: use.hasThumbnails)
                } else {
                    .orphan(mayBeNamed: isNewIndex || written < Eviction.grace)
                }
            let isPinned = !use.thumbnailOf.isEmpty && use.items.contains(where: pinned.contains)
            let mayBePinned = awaitsRows && !use.isNamed
            return Eviction.Candidate(
                digest: found.digest, bytes: blobs.files.space.rounded(found.byteCount),
                role: role, age: min(used, written), isPinned: isPinned || mayBePinned)
        }
        return (candidates, uses)
    }

    /// Removes the rows, then their blobs: a process that dies in between leaves orphans.
    private func remove(
        _ victims: [Eviction.Candidate], _ uses: [Digest: BlobUse]
    ) async throws(StoreError) -> DiskUsage {
        var freed = DiskUsage()
        var thumbnails: [Digest] = []
        var originals: Set<Digest> = []
        var lost: Set<Digest> = []
        for victim in victims {
            let use = uses[victim.digest] ?? BlobUse()
            if !use.thumbnailOf.isEmpty { thumbnails.append(victim.digest) }
            if use.isOriginal { lost.insert(victim.digest) }
            originals.formUnion(use.thumbnailOf)
        }
        originals.formUnion(lost)
        // A picture without any blob is resolved again by the next request.
        let kept = try await blobs.present(originals).subtracting(lost)
        originals.subtract(kept)
        try await forget(thumbnails, originals)
        for victim in victims {
            guard try await blobs.remove(victim.digest) else { continue }
            freed += DiskUsage(bytes: victim.bytes, files: 1)
            removed.withLock { removed in
                removed.bytes += victim.bytes
                switch victim.role {
                case .orphan: removed.orphans += 1
                case .original: removed.originals += 1
                case .thumbnail: removed.thumbnails += 1
                }
            }
        }
        // A render that ended meanwhile has found the blob and named it again.
        let found = try await blobs.present(Set(thumbnails).union(originals))
        try await forget(
            thumbnails.filter { !found.contains($0) }, originals.subtracting(found))
        return freed
    }

    /// Room is needed all the more while the index can't be written. A row without a blob is noticed by the
    /// next request.
    private func forget(
        _ thumbnails: [Digest], _ originals: Set<Digest>
    ) async throws(StoreError) {
        do throws(StoreError) {
            try await index.forget(thumbnails: thumbnails)
            try await index.forget(originals: originals.sorted())
        } catch {
            if error == .stopped { throw error }
        }
    }
}
