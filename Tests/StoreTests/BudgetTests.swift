import Foundation
import Hashing
import Synchronization
import TestSupport
import Testing

@testable import Store

/// A cache with a budget of 32 MiB, and pictures of 400 kB with thumbnails of 50 kB.
@Suite(.timeLimit(.minutes(2)))
struct BudgetTests {
    let scratch: StoreScratch
    let blobs: BlobStore
    let index: Index
    let userData: UserData
    let upkeep: Upkeep
    private let clock = ManualClock(Date())

    init() throws {
        scratch = try StoreScratch()
        var policy = StorePolicy()
        policy.limits = DiskLimits(bytes: 32 << 20, files: .max, minFree: 0)
        blobs = try BlobStore(root: scratch.path, policy: policy) { [clock] in clock.now }
        index = try Index(root: scratch.path)
        userData = try UserData(root: scratch.path)
        // The rows of samples expired long ago.
        upkeep = Upkeep(
            blobs: blobs, index: index, userData: userData, forgetAfter: .seconds(10_000_000_000))
    }

    private func bytes(_ number: Int, count: Int = 400_000) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(number) &+ 77)
        return random.bytes(count)
    }

    /// Stores an item with an original and one thumbnail. Returns the thumbnail's digest.
    @discardableResult
    private func store(_ number: Int) async throws -> (original: Digest, thumbnail: Digest) {
        let original = try await blobs.put(bytes(2 * number))
        let thumbnail = try await blobs.put(bytes(2 * number + 1, count: 50_000))
        var key = ThumbnailKey.sample()
        key.original = original
        try await index.record(OriginalRecord.sample("https://a/\(number)", original))
        try await index.record(
            thumbnails: [ThumbnailRecord.sample(key, thumbnail)],
            items: [ItemRecord.sample("a/b/\(number)", key.level, original)])
        return (original, thumbnail)
    }

    /// Bytes of everything below the cache directory, directories included.
    private func used() throws -> Int {
        var sum = 0
        let walk = try #require(FileManager.default.enumerator(atPath: scratch.path))
        for case let name as String in walk {
            guard let status = try fileStatus("\(scratch.path)/\(name)") else { continue }
            sum += status.isDirectory ? 4_096 : (Int(status.st_size) + 4_095) / 4_096 * 4_096
        }
        return sum
    }

    @Test func `indexes of lists count`() async throws {
        try await upkeep.measure()
        let before = upkeep.status.usage.bytes
        try StoreLayout.makeDirectories(scratch.path + "/lists")
        try scratch.write(bytes(1, count: 3_000_000), to: "lists/posters.index")
        try await upkeep.measure()
        #expect(upkeep.status.usage.bytes - before >= 3_000_000)
    }

    @Test func `puts evict what is worth least, and the budget holds after each`() async throws {
        try await upkeep.measure()
        var last = 0
        for number in 0..<100 {
            try await store(number)
            last = max(last, try used())
        }
        #expect(last <= 32 << 20)
        #expect(last > 16 << 20)
        #expect(upkeep.status.evicted.bytes > 5_000_000)
        // Originals of the same age go first.
        let removed = upkeep.evictor.total
        #expect(removed.originals > removed.thumbnails)
        let counted = blobs.files.space.ledger.counts.blobs
        for fan in 0..<256 { try blobs.files.space.count(fan: fan) }
        #expect(blobs.files.space.ledger.counts.blobs == counted)
    }

    @Test func `the limit of files holds after each put of two processes`() async throws {
        let scratch = try StoreScratch()
        var policy = StorePolicy()
        policy.limits = DiskLimits(bytes: .max, files: 200, minFree: 0)
        let stores = try (0..<2).map { _ in try BlobStore(root: scratch.path, policy: policy) }
        let index = try Index(root: scratch.path)
        let keepers = stores.map { Upkeep(blobs: $0, index: index, userData: userData) }
        var most = 0
        for number in 0..<150 {
            // Each is alone in its directory, and the first ones make the one above it, too. In turns of
            // 25, because one eviction makes room for a few: with turns of one, the same store may do all.
            _ = try await stores[number / 25 % 2].put(bytes(number, count: 10))
            let walk = try #require(FileManager.default.enumerator(atPath: scratch.path))
            most = max(most, walk.allObjects.count)
        }
        #expect(most <= 200)
        #expect(most > 150)
        #expect(keepers.allSatisfy { $0.status.evicted.orphans > 0 })
        try index.close()
    }

    @Test func `counts that a power cut made too low are mended by the first round`() async throws {
        for number in 0..<8 { try await store(number) }
        let ledger = blobs.files.space.ledger
        let counted = ledger.counts.blobs
        for fan in 0..<256 { ledger.set(.fan(fan), to: DiskUsage()) }
        await upkeep.tick()
        #expect(ledger.counts.blobs == DiskUsage())
        try scratch.makeLedgerEarlier()
        await upkeep.tick()
        #expect(ledger.counts.blobs == counted)
        #expect(ledger.unconfirmed.isEmpty)
    }

    @Test func `room is made for each of several blobs that are put together`() async throws {
        for number in 0..<64 { try await store(number) }
        // More than one eviction frees.
        let together = (200..<240).map { HashedBytes(bytes($0)) }
        try await blobs.put(together)
        let last = Set(together.suffix(20).map(\.digest))
        #expect(try await blobs.missing(among: last).isEmpty)
        #expect(together.map(\.digest) == together.map { Digest(of: $0.bytes) })
        #expect(try used() <= 32 << 20)
    }

    @Test func `pinned thumbnails and favorites stay, their originals go`() async throws {
        let first = try await store(0)
        let second = try await store(1)
        _ = try await userData.pin(["a/b/0"], at: clock.now)
        _ = try await userData.addFavorite("a/b/1", at: clock.now)
        clock.advance(by: 1_000_000)
        for number in 2..<120 { try await store(number) }
        for kept in [first, second] {
            #expect(try await blobs.contains(kept.thumbnail))
            #expect(try await index.thumbnails(of: kept.original).count == 1)
            #expect(try await !blobs.contains(kept.original))
        }
    }

    @Test func `if everything is pinned a put fails, says why, and writes nothing`() async throws {
        var stored = 0
        let failure = await #expect(throws: StoreError.self) {
            while true {
                let thumbnail = try await blobs.put(bytes(stored, count: 500_000))
                var key = ThumbnailKey.sample()
                key.original = Digest(of: [1])
                key.recipe = "\(stored)"
                try await index.record(
                    thumbnails: [ThumbnailRecord.sample(key, thumbnail)],
                    items: [ItemRecord.sample("a/b/1", key.level, key.original)])
                if stored == 0 { _ = try await userData.pin(["a/b/1"], at: clock.now) }
                stored += 1
                try await upkeep.refreshPins(limit: .max)
            }
        }
        guard case .overBudget(scratch.path, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(try await blobs.statistics().blobs == stored)
        #expect(try used() <= 32 << 20)
    }

    @Test func `pins take at most their part of the budget`() async throws {
        for number in 0..<3 { try await store(number) }
        try await upkeep.refreshPins(limit: 2 * 5_000)
        #expect(upkeep.pins.add("a/b/0", bytes: 5_000, limit: 10_000))
        #expect(upkeep.pins.add("a/b/1", bytes: 5_000, limit: 10_000))
        #expect(!upkeep.pins.add("a/b/2", bytes: 5_000, limit: 10_000))
        // Pinned again it takes no more.
        #expect(upkeep.pins.add("a/b/1", bytes: 5_000, limit: 10_000))
        for number in 0..<3 {
            _ = try await userData.pin(["a/b/\(number)"], at: day(number))
        }
        let each = try await index.thumbnailBytes(ofItem: "a/b/0")
        try await upkeep.refreshPins(limit: 2 * each)
        #expect(
            try await upkeep.pins.pinned(among: ["a/b/0", "a/b/1", "a/b/2"])
                == ["a/b/0", "a/b/1"])
        #expect(upkeep.pins.load.unprotected == 1)
    }

    @Test func `recently used thumbnails stay, others go`() async throws {
        var stored: [Digest] = []
        for number in 0..<40 { stored.append(try await store(number).thumbnail) }
        clock.advance(by: 100_000)
        for digest in stored.prefix(10) { #expect(try await blobs.load(digest) != nil) }
        let freed = try await upkeep.evictor.free(DiskUsage(bytes: 0, files: 62))
        #expect(freed.files >= 62)
        let kept = try await blobs.present(Set(stored.prefix(10)))
        let others = try await blobs.present(Set(stored.dropFirst(10)))
        #expect(kept.count > others.count)
        #expect(kept.count >= 8)
    }

    @Test func `blobs that a replaced index named stay while its rows are copied`() async throws {
        let unnamed = try await blobs.put(bytes(1_000))
        let stored = try await store(1)
        clock.advance(by: 2 * Double(Eviction.grace))
        let time = Int(clock.now.timeIntervalSince1970) * 1_000_000_000
        let damaged = "v2/index/pictures.sqlite.damaged-\(time)-1-1"
        try scratch.write([], to: damaged)
        #expect(try await upkeep.evictor.free(DiskUsage(bytes: 1, files: 1)).files == 1)
        #expect(try await blobs.contains(unnamed))
        #expect(try await !blobs.contains(stored.original))
        // Not even if nothing else is left, because it may be pinned.
        #expect(try await upkeep.evictor.free(DiskUsage(bytes: 1, files: 9)).files == 1)
        #expect(try await blobs.contains(unnamed))
        try scratch.write([], to: "\(damaged)-salvaged")
        #expect(try await upkeep.evictor.free(DiskUsage(bytes: 1, files: 1)).files == 1)
        #expect(try await !blobs.contains(unnamed))
    }

    @Test func `requests are counted by all processes, and each only once`() async throws {
        let own = Mutex(ServedCounts(hits: 3, misses: 1))
        upkeep.countRequests { own.withLock { $0 } }
        upkeep.countRequests { ServedCounts(hits: 10) }
        #expect(await upkeep.servedCounts() == ServedCounts())
        await upkeep.stop()
        own.withLock { $0.misses += 2 }
        await upkeep.stop()
        let other = Upkeep(blobs: blobs, index: index, userData: userData)
        other.countRequests { ServedCounts(hits: 2, misses: 5) }
        await other.stop()
        #expect(await upkeep.servedCounts() == ServedCounts(hits: 15, misses: 8))
        #expect(await upkeep.servedCounts().hitRatio == 15 / 23)
        for damage in [[UInt8](repeating: 0xFF, count: 16), []] {
            try scratch.write([UInt8](repeating: 0, count: 16) + damage, to: "v2/shared")
            #expect(await upkeep.servedCounts() == ServedCounts())
        }
    }

    @Test func `orphans go after a while, named blobs stay`() async throws {
        let stored = try await store(1)
        let orphan = try await blobs.put([1, 2, 3])
        #expect(try await upkeep.collectGarbage().orphans == 0)
        #expect(try await blobs.contains(orphan))
        // Twice, because the files have the time of the machine.
        clock.advance(by: 2 * Double(Eviction.grace))
        let receipt = try await upkeep.collectGarbage()
        #expect(receipt.orphans == 1)
        #expect(receipt.bytes == 4_096)
        #expect(try await !blobs.contains(orphan))
        #expect(try await blobs.contains(stored.thumbnail))
        #expect(try await blobs.contains(stored.original))
    }

    /// A process that stores the same bytes meanwhile finds the blob, and writes only the row.
    @Test func `a blob that has a row again stays, and a row whose blob went is removed`()
        async throws
    {
        let (first, second) = (try await store(1), try await store(2))
        let orphan = try await blobs.put([1, 2, 3])
        let removed = try await upkeep.orphans.remove([first.thumbnail, orphan])
        #expect(removed == DiskUsage(bytes: 4_096, files: 1))
        #expect(try await blobs.contains(first.thumbnail))
        #expect(try await !blobs.contains(orphan))
        try await blobs.remove(second.thumbnail)
        try await upkeep.orphans.forgetRows(of: [first.thumbnail, second.thumbnail])
        #expect(try await index.thumbnails(of: first.original).count == 1)
        #expect(try await index.thumbnails(of: second.original).isEmpty)
    }

    @Test func `a purge of everything leaves no row of what was stored meanwhile`() async throws {
        for number in 1...3 { try await store(number) }
        #expect(try await upkeep.removeAllBlobs().files == 6)
        let report = try await index.verify(against: blobs, repair: false)
        #expect(report == IndexVerification())
        #expect(try await index.statistics().thumbnails == 0)
    }

    @Test func `garbage collection removes rows without a blob, leftovers and the quarantine`()
        async throws
    {
        let stored = try await store(1)
        try FileManager.default.removeItem(atPath: scratch.blob(stored.thumbnail))
        try scratch.write([1], to: "v2/staging/left")
        try scratch.write([1, 2], to: "v2/quarantine/old")
        let receipt = try await upkeep.collectGarbage()
        #expect(receipt.rows == 1)
        #expect(receipt.leftovers == 2)
        #expect(try await index.thumbnails(of: stored.original).isEmpty)
        #expect(try scratch.names("v2/quarantine").isEmpty)
        #expect(try scratch.names("v2/staging").isEmpty)
        // The item still knows its original.
        #expect(try await index.item("a/b/1").resolutions.map(\.original) == [stored.original])
    }

    @Test func `the scrub quarantines damaged blobs and mends the counts`() async throws {
        let stored = try await store(1)
        try Damage.flippedBit.strike(scratch.blob(stored.thumbnail))
        let fan = Int(stored.thumbnail.words.0 >> 56)
        blobs.files.space.ledger.add(DiskUsage(bytes: 9_999, files: 3), to: .fan(fan))
        for fan in 0..<256 { try await upkeep.scrub.check(fan: fan, rate: 1 << 30) }
        #expect(upkeep.status.scrub.blobs == 2)
        #expect(upkeep.status.scrub.damaged == 1)
        #expect(try await blobs.load(stored.thumbnail) == nil)
        #expect(try await blobs.load(stored.original) != nil)
        #expect(try scratch.names("v2/quarantine").count == 1)
        #expect(try scratch.names("v2/quarantine").allSatisfy { $0.contains("-damaged-") })
        let counted = blobs.files.space.ledger.counts.blobs
        for fan in 0..<256 { try blobs.files.space.count(fan: fan) }
        #expect(blobs.files.space.ledger.counts.blobs == counted)
    }

    @Test func `one process at a time scrubs, and the next continues where it ended`() throws {
        let layout = blobs.files.layout
        let first = try #require(try ScrubPosition(layout))
        #expect(first.next == 0)
        #expect(try ScrubPosition(layout) == nil)
        first.save(77)
        withExtendedLifetime(first) {}
        _ = consume first
        #expect(try ScrubPosition(layout)?.next == 77)
        try scratch.write([UInt8](repeating: 0xFF, count: 16), to: "v2/shared")
        #expect(try ScrubPosition(layout)?.next == 255)
    }

    @Test func `an older cache is counted once, and the budget holds from then on`() async throws {
        for number in 0..<20 { try await store(number) }
        let before = blobs.files.space.ledger.counts.blobs
        try FileManager.default.removeItem(atPath: "\(scratch.path)/v2/shared")
        let opened = try BlobStore(root: scratch.path)
        #expect(opened.files.space.ledger.counts.uncounted.count == 258)
        let later = Upkeep(blobs: opened, index: index, userData: userData)
        try await later.count()
        #expect(opened.files.space.ledger.counts.blobs == before)
        #expect(later.status.isCounted)
    }

    @Test func `without its ledger the cache neither grows over its budget nor is emptied`()
        async throws
    {
        for number in 0..<60 { try await store(number) }
        let before = try used()
        try FileManager.default.removeItem(atPath: "\(scratch.path)/v2/shared")
        var policy = StorePolicy()
        policy.limits = blobs.files.space.limits
        let opened = try BlobStore(root: scratch.path, policy: policy)
        let later = Upkeep(blobs: opened, index: index, userData: userData)
        for number in 60..<100 {
            _ = try await opened.put(bytes(2 * number))
            #expect(try used() <= 32 << 20)
            #expect(try used() > before / 2)
        }
        #expect(later.status.isCounted)
    }

    @Test func `a count while a blob is written or removed doesn't lose it`() throws {
        let files = blobs.files
        let place = CountedPlace.fan(7)
        files.space.ledger.during([7]) {
            files.space.ledger.add(DiskUsage(bytes: 4_096, files: 1), to: place)
            #expect(throws: Never.self) { try files.space.count(fan: 7) }
        }
        #expect(files.space.ledger.counts.usage(of: place)?.files == 1)
        // Of another process, too.
        let other = Ledger(files.layout, isNew: false)
        other.during([7]) { #expect(!files.space.ledger.hasNoChange(in: 7)) }
        try files.space.count(fan: 7)
        #expect(files.space.ledger.counts.usage(of: place)?.files == 0)
    }

    @Test func `counts that dead processes left too high don't keep a put from its room`()
        async throws
    {
        blobs.files.space.ledger.add(DiskUsage(bytes: 31 << 20, files: 60), to: .fan(3))
        let stored = try await store(1)
        #expect(try await blobs.contains(stored.original))
        #expect(upkeep.status.usage.bytes < 16 << 20)
    }
}
