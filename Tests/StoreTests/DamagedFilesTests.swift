import Foundation
import GRDB
import Hashing
import TestSupport
import Testing

@testable import Store

/// The files of a cache whose numbers a disk, a power cut or a half restored backup has damaged, at their
/// readers.
@Suite(.timeLimit(.minutes(1))) struct DamagedFilesTests {
    private let scratch: StoreScratch
    private let layout: StoreLayout

    init() throws {
        scratch = try StoreScratch(in: StoreScratch.memory)
        layout = try StoreLayout(opening: scratch.path)
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    // MARK: - The ledger

    @Test func `a damaged number of the ledger costs the count of its place only`() {
        var counts = LedgerCounts.empty(7)
        counts.set(.fan(3), to: DiskUsage(bytes: 5_000, files: 2), 7)
        let sound = counts.bytes
        for damaged in DamagedBytes.withNumbers(
            sound, at: stride(from: 0, to: sound.count, by: 8)) where damaged != sound
        {
            let read = LedgerCounts(bytes: damaged)
            #expect(read.uncounted.count == 1 && read.hasDamage)
            #expect(0...1 << 58 ~= read.total.bytes && 0...1 << 58 ~= read.total.files)
            #expect(read.unconfirmed(7).isEmpty)
        }
    }

    @Test func `places that a cut ledger lacks are counted again`() {
        let sound = LedgerCounts.empty(7).bytes
        for cut in DamagedBytes.cuts(sound) {
            let read = LedgerCounts(bytes: cut)
            #expect(read.uncounted.count == 258 - cut.count / 32)
            #expect(read.total == DiskUsage())
        }
    }

    @Test func `a damaged ledger is named once, and counted again`() async throws {
        let told = Watched<[StoreEvent]>([])
        var policy = StorePolicy()
        policy.report = { event in told.change { $0.append(event) } }
        let blobs = try BlobStore(root: scratch.path, policy: policy)
        let upkeep = Upkeep(
            blobs: blobs, index: try Index(root: scratch.path),
            userData: try UserData(root: scratch.path))
        await upkeep.tick()
        #expect(told.value == [])
        try SharedFile(layout.shared).write(
            [UInt8](sharedWords: [1 << 60]), at: SharedPage.ledger.offset + 3 * 32)
        for _ in 1...2 { await upkeep.tick() }
        #expect(told.value == [.damaged(path: layout.shared)])
        #expect(blobs.files.space.ledger.counts.uncounted.isEmpty)
    }

    // MARK: - Other facts that processes share

    /// Uses all facts of `v2/shared` once.
    private func useShared() async throws {
        let purges = PurgeCount(layout)
        _ = await purges.hasGrown()
        await purges.add()
        #expect(await !purges.hasGrown())
        let page = SharedPage(layout)
        let counts = page.servedCounts
        #expect(counts.hits >= 0 && counts.misses >= 0)
        page.add(ServedCounts(hits: 1, misses: 1))
        let scrub = try #require(try ScrubPosition(layout))
        #expect(0..<ScrubPosition.count ~= scrub.next)
        let position = PurgePosition(layout)
        _ = position.read()
        position.write("x")
        #expect(position.read() == "x")
        let rates = SharedRates(layout, now: { 1 << 62 })
        for _ in 1...2 {
            if let wait = rates.start("a.example", count: 1, per: .seconds(1)) {
                #expect(wait <= .seconds(1))
            }
        }
    }

    @Test func `a damaged number that processes share ends none of them`() async throws {
        try await useShared()
        let sound = try [UInt8](Data(contentsOf: URL(filePath: layout.shared)))
        let places = [0, 8, 16, 24, 64, 4_096, 4_104, 4_112, 4_120]
        for damaged in DamagedBytes.withNumbers(sound, at: places) {
            try write(damaged, to: layout.shared)
            try await useShared()
        }
    }

    @Test func `a file of shared facts that is cut is filled again`() async throws {
        try await useShared()
        let sound = try [UInt8](Data(contentsOf: URL(filePath: layout.shared)))
        for cut in DamagedBytes.cuts(sound) {
            try write(cut, to: layout.shared)
            try await useShared()
        }
    }

    @Test func `a damaged slot of a host's transfers lets them start within the rate's window`() {
        var slot = RateSlot(key: 5)
        for start in 1...3 { slot.record(Int64(start)) }
        let sound = slot.bytes
        for damaged in DamagedBytes.withNumbers(
            sound, at: stride(from: 0, to: sound.count, by: 8)) + DamagedBytes.cuts(sound)
        {
            var read = RateSlot(damaged[...])
            for now: Int64 in [0, 10, .max] {
                if let wait = read.wait(1, 1_000, at: now) { #expect(0...1_000 ~= wait) }
                _ = read.wait(62, .max, at: now)
            }
            read.record(10)
            #expect(read.starts.count <= RateSlot.maxStarts && read.newest >= 10)
        }
    }

    // MARK: - Uses, renders and claims

    @Test func `damaged uses are ages within their range`() throws {
        let digests = (0..<8).map { Digest(of: [$0]) }
        let uses = LastUses(layout, blobs: 1)
        for digest in digests { uses.touch(digest, at: 1_800_000_000) }
        try uses.exchange(at: 1_800_000_000)
        let sound = try [UInt8](Data(contentsOf: URL(filePath: layout.uses)))
        let used = sound.indices.filter { $0 % 8 == 0 && sound[$0..<$0 + 8].contains { $0 != 0 } }
        for damaged in DamagedBytes.withNumbers(sound, at: used) + DamagedBytes.cuts(sound) {
            try write(damaged, to: layout.uses)
            let read = LastUses(layout, blobs: 1)
            try read.exchange(at: 1_800_000_000)
            for age in digests.compactMap({ read.age(of: $0, at: 1_800_000_000) }) {
                #expect(0..<65_536 * LastUses.step ~= age)
            }
        }
    }

    @Test func `damaged slots of renders are taken again`() async throws {
        let (one, other) = (Digest(of: [1]), Digest(of: [2]))
        let sound = one.bytes + other.bytes + [UInt8](repeating: 0, count: 1_022 * 32)
        let damaged =
            DamagedBytes.withNumbers(sound, at: stride(from: 0, to: 64, by: 8))
            + DamagedBytes.cuts(sound)
        for bytes in damaged {
            try write(bytes, to: layout.rendering)
            let journal = RenderJournal(root: scratch.path)
            #expect(journal.suspects <= 2)
            let entry = await journal.begin(Digest(of: [3]))
            #expect(entry.slot != nil && !entry.isSuspect)
            await journal.end(entry)
            #expect(try fileStatus(layout.rendering)?.st_size == off_t(sound.count))
            journal.close()
        }
    }

    @Test(arguments: [[], [1, 2, 3], [UInt8](repeating: 0xFF, count: 4_096)])
    func `claims don't depend on what their file says`(bytes: [UInt8]) throws {
        try write(bytes, to: layout.claims)
        #expect(Claims(layout).claimNow("x") != nil)
    }

    @Test func `a pipe in the place of a file that processes share is refused, and nothing waits`()
        async throws
    {
        for path in [layout.shared, layout.claims, layout.rendering] {
            #expect(mkfifo(path, 0o600) == 0)
        }
        #expect(LedgerCounts.unknown == Ledger(layout, isNew: false).counts)
        #expect(Claims(layout).claimNow("x") == nil)
        #expect(RenderJournal(root: scratch.path).shortcoming != nil)
        #expect(SharedPage(layout).read(SharedPage.purges) == nil)
    }

    // MARK: - Favorites and searches

    private static let items = ["a/b/2", "a/b/1"]

    private func fill(_ root: String) async throws {
        let userData = try UserData(root: root)
        for item in Self.items.reversed() {
            _ = try await userData.addFavorite(item, at: Date(timeIntervalSince1970: 1_000))
        }
        _ = try await userData.pin(["a/b/3"], at: Date(timeIntervalSince1970: 1_000))
        try await userData.record(
            SearchRecord(
                source: "tvmaze", list: "search", term: "x",
                madeAt: Date(timeIntervalSince1970: 1_000)))
        try userData.close()
    }

    @Test func `damaged numbers beside favorites and searches hide none of them`() async throws {
        try await fill(scratch.path)
        for number in DamagedBytes.numbers {
            let queue = try DatabaseQueue(path: layout.userData)
            try await queue.write { database in
                let whole = Int64(bitPattern: number)
                try database.execute(
                    sql: "UPDATE favorites SET position = ?, addedAt = ?",
                    arguments: [whole, Double(number)])
                try database.execute(
                    sql: "UPDATE searches SET madeAt = ?", arguments: [-Double(number)])
                try database.execute(
                    sql: "UPDATE pins SET addedAt = ?", arguments: [Double(number)])
            }
            try queue.close()
            let userData = try UserData(root: scratch.path)
            #expect(Set(try await userData.favorites().map(\.item)) == Set(Self.items))
            #expect(try await userData.searches().map(\.term) == ["x"])
            #expect(try await userData.protectedItems().count == 3)
            #expect(try await userData.addFavorite("a/b/9", at: Date()) == .added)
            #expect(try await userData.favorites().first?.item == "a/b/9")
            #expect(try await userData.removeFavorite("a/b/9"))
            try userData.close()
        }
    }

    @Test func `a damaged file of favorites is read, or named`() async throws {
        try await fill(scratch.path)
        let sound = try [UInt8](Data(contentsOf: URL(filePath: layout.userData)))
        let damaged =
            DamagedBytes.withNumbers(sound, at: stride(from: 0, to: 100, by: 8))
            + DamagedBytes.cuts(sound)
        for bytes in damaged {
            let other = try StoreScratch(in: StoreScratch.memory)
            let path = try StoreLayout(opening: other.path).userData
            try write(bytes, to: path)
            let told = Watched<[StoreEvent]>([])
            let policy = StorePolicy(unsavedBytes: 1 << 20) { event in
                told.change { $0.append(event) }
            }
            do throws(StoreError) {
                let userData = try UserData(root: other.path, policy: policy)
                let favorites = try await userData.favorites().map(\.item)
                #expect(favorites == Self.items || !told.value.isEmpty || bytes.isEmpty)
                try userData.close()
            } catch {
                // It says what is wrong.
            }
        }
    }
}
