import Foundation
import Hashing
import Store
import Synchronization

/// Writes pictures to a cache with a budget, and loads earlier ones meanwhile. The bytes of each
/// picture follow from its number, so that any process knows what is right.
final class Storm: Sendable {
    private let blobs: BlobStore
    private let index: Index
    private let userData: UserData
    private let upkeep: Upkeep
    /// Bytes of each writer; nil for no end.
    private let share: Int?
    /// Numbers of the writers of this process.
    private let writers: Range<Int>
    private let loads = Mutex((hits: 0, misses: 0))

    /// - Parameters:
    ///   - bytes: of all writers; 0 for no end.
    ///   - first: number of the first writer. Writers of one number write the same pictures.
    init(
        root: String, budget: Int, bytes: Int, writers: Int, first: Int, durability: Durability
    ) throws(StoreError) {
        var policy = StorePolicy()
        policy.limits = DiskLimits(bytes: budget, files: .max, minFree: 0)
        policy.durability = durability
        blobs = try BlobStore(root: root, policy: policy)
        index = try Index(root: root, policy: policy)
        userData = try UserData(root: root, policy: policy)
        upkeep = Upkeep(blobs: blobs, index: index, userData: userData)
        share = bytes == 0 ? nil : bytes / writers
        self.writers = first..<first + writers
    }

    /// Says `stored` for each picture that blobs and index have, `pinned HEX` for the thumbnail of
    /// one that is pinned, `named HEX HEX` for the blobs of each, `wrong HEX` if a load gives other
    /// bytes, and `end HITS MISSES`.
    func run() async throws(StoreError) {
        // Scrub and eviction take turns with the writers all the time.
        upkeep.start(scrubRate: 1 << 30, pause: .milliseconds(20))
        let failure: StoreError? = await withTaskGroup(of: StoreError?.self) { group in
            for writer in writers {
                group.addTask { [self] in
                    do throws(StoreError) {
                        try await write(writer)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var failure: StoreError?
            for await result in group { failure = failure ?? result }
            return failure
        }
        if let failure { throw failure }
        await upkeep.stop()
        try userData.close()
        try index.close()
        let (hits, misses) = loads.withLock { $0 }
        StoreCommand.say("end \(hits) \(misses)")
    }

    private func write(_ writer: Int) async throws(StoreError) {
        var written = 0
        var number = 0
        while share.map({ written < $0 }) ?? true {
            let picture = Picture(writer, number)
            // A few, so that pins don't fill the cache.
            let isPinned = share == nil && number == 0 && writer < 8
            if isPinned {
                _ = try await userData.pin([picture.item], at: Date())
                try await upkeep.refreshPins()
            }
            let original = try await blobs.put(picture.original)
            let thumbnail = try await blobs.put(picture.thumbnail)
            try await record(picture, original, thumbnail)
            written += picture.original.count + picture.thumbnail.count
            StoreCommand.say("named \(original.hex) \(thumbnail.hex)")
            if isPinned, try await blobs.contains(thumbnail) {
                StoreCommand.say("pinned \(thumbnail.hex)")
            }
            number += 1
            for _ in 0..<2 {
                try await look(
                    Picture(.random(in: 0..<writers.upperBound), .random(in: 0..<number)))
            }
        }
    }

    private func record(
        _ picture: Picture, _ original: Digest, _ thumbnail: Digest
    ) async throws(StoreError) {
        let now = Date()
        var row = OriginalRecord(
            url: "https://a/\(picture.item)", fetchedAt: now, freshUntil: now)
        row.digest = original
        row.byteCount = picture.original.count
        row.format = "jpeg"
        try await index.record(row)
        let key = ThumbnailKey(original: original, level: "m:1x1", format: "webp", recipe: "r")
        try await index.record(
            thumbnails: [
                ThumbnailRecord(
                    key,
                    PictureFacts(
                        digest: thumbnail, byteCount: picture.thumbnail.count, width: 1,
                        height: 1, renderedAt: now))
            ],
            items: [
                ItemRecord(
                    picture.item,
                    [
                        .init(
                            levels: ["m:1x1"], original: original, url: row.url, failure: nil,
                            trace: nil, resolvedAt: now, freshUntil: now)
                    ])
            ])
    }

    /// Loads a picture that may be stored, evicted, or not written yet.
    private func look(_ picture: Picture) async throws(StoreError) {
        for bytes in [picture.original, picture.thumbnail] {
            let digest = Digest(of: bytes)
            let loaded = try await blobs.load(digest)
            if let loaded, loaded != bytes { StoreCommand.say("wrong \(digest.hex)") }
            loads.withLock { loads in
                if loaded == nil { loads.misses += 1 } else { loads.hits += 1 }
            }
        }
    }
}

/// An original of 60 to 260 kB and its thumbnail of 8 to 40 kB.
private struct Picture {
    let item: String
    let original: [UInt8]
    let thumbnail: [UInt8]

    init(_ writer: Int, _ number: Int) {
        item = "storm/picture/\(writer)-\(number)"
        let seed = UInt64(writer) << 32 | UInt64(number)
        original = Self.bytes(seed << 1, from: 60_000, spread: 200_000)
        thumbnail = Self.bytes(seed << 1 | 1, from: 8_000, spread: 32_000)
    }

    private static func bytes(_ seed: UInt64, from least: UInt64, spread: UInt64) -> [UInt8] {
        let mixed = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15
        let count = Int(least + (mixed >> 20) % spread)
        return withUnsafeBytes(of: seed) { Array($0) }
            + [UInt8](repeating: UInt8(truncatingIfNeeded: mixed >> 56), count: count)
    }
}
