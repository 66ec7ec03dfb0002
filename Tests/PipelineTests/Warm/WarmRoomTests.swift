import Imaging
import Store
import Testing

@testable import Pipeline

/// Whether a run fits into the cache.
@Suite struct WarmRoomTests {
    private static func room(
        free: DiskUsage, used: DiskUsage = DiskUsage(), pinned: Int = 0,
        made: DiskUsage = DiskUsage()
    ) -> WarmRoom {
        var status = UpkeepStatus()
        status.usage = used
        status.free = free
        status.pinnedBytes = pinned
        return WarmRoom(status, made: made)
    }

    private static let half = DiskUsage(bytes: 50 << 20, files: 100_000)

    @Test func `the rest takes what the first pictures took, in whole blocks`() throws {
        let room = Self.room(free: Self.half)
        // 20 pictures of 1 MiB in ten files, each of which loses half a block.
        let made = DiskUsage(bytes: 20 << 20, files: 200)
        #expect(room.shortage(of: 49, by: 20, made) == nil)
        let shortage = try #require(room.shortage(of: 60, by: 20, made))
        #expect(shortage.bytes == 60 << 20 + 600 * 2_048)
        #expect((shortage.items, shortage.files) == (60, 600))
        #expect((shortage.freeBytes, shortage.freeFiles) == (50 << 20, 100_000))
    }

    @Test func `older pictures make room, and pinned ones and the run's own don't`() throws {
        let made = DiskUsage(bytes: 20 << 20, files: 20)
        let used = DiskUsage(bytes: 50 << 20, files: 500)
        let open = Self.room(free: Self.half, used: used, made: made)
        #expect(try #require(open.shortage(of: 75, by: 20, made)).replacesOlder)
        #expect(try !#require(open.shortage(of: 85, by: 20, made)).replacesOlder)
        let pinned = Self.room(free: Self.half, used: used, pinned: 20 << 20, made: made)
        #expect(try !#require(pinned.shortage(of: 75, by: 20, made)).replacesOlder)
    }

    @Test func `the limit of files counts as well`() throws {
        let room = Self.room(free: DiskUsage(bytes: 50 << 20, files: 100))
        let shortage = try #require(room.shortage(of: 10, by: 20, DiskUsage(bytes: 20, files: 220)))
        #expect((shortage.files, shortage.freeFiles) == (110, 100))
        #expect(!shortage.replacesOlder)
    }

    @Test func `a run is in doubt only if little is free for each item`() {
        #expect(Self.room(free: Self.half).isAmple(for: 12))
        #expect(!Self.room(free: Self.half).isAmple(for: 13))
        #expect(!Self.room(free: DiskUsage(bytes: .max, files: 640)).isAmple(for: 11))
    }

    @Test(arguments: [0, 1, Int.max])
    func `no number is too large, and what is not known fits`(items: Int) {
        let room = WarmRoom(UpkeepStatus(), made: DiskUsage())
        #expect(room.isAmple(for: 1_000_000))
        #expect(room.shortage(of: items, by: 1_000_000, DiskUsage(bytes: 1, files: 1)) == nil)
        let full = Self.room(
            free: DiskUsage(), used: DiskUsage(bytes: .max, files: .max), pinned: .max)
        let huge = DiskUsage(bytes: 1 << 60, files: 1 << 20)
        #expect((full.shortage(of: items, by: 1, huge) == nil) == (items == 0))
    }
}

/// What pictures take on disk, by those that are stored.
@Suite struct WarmSizesTests {
    private static let large = Rendition(
        level: Level(name: "m", width: 320, height: 480), format: .jpeg)

    private static func statistics(_ tallies: [(source: String, count: Int, bytes: Int)])
        -> IndexStatistics
    {
        var statistics = IndexStatistics()
        (statistics.originals, statistics.originalBytes) = (40, 40 * 10_000)
        statistics.tallies = tallies.map {
            .init(
                source: $0.source, level: large.level.key, format: "jpeg", thumbnails: $0.count,
                bytes: $0.bytes)
        }
        return statistics
    }

    @Test func `a result takes the mean of what its source has stored, and half a block a file`()
        throws
    {
        let stored = Self.statistics([("tmdb", 20, 20 * 1_000), ("tvmaze", 30, 30 * 3_000)])
        let sizes = try #require(WarmSizes(stored, [Self.large], source: "tmdb"))
        #expect(
            sizes.usage(originals: 2, thumbnails: 3)
                == DiskUsage(bytes: 2 * 10_000 + 3 * 1_000 + 5 * 2_048, files: 5))
    }

    @Test func `pictures that are stored once count once`() throws {
        var stored = Self.statistics([("tmdb", 20, 20 * 1_000)])
        stored.thumbnailBytes = 20_000
        stored.savedBytes = 210_000
        let sizes = try #require(WarmSizes(stored, [Self.large], source: "tmdb"))
        #expect(sizes.usage(originals: 2, thumbnails: 2).bytes == 10_000 + 1_000 + 4 * 2_048)
    }

    @Test func `other sources decide if a source has too little`() throws {
        let stored = Self.statistics([("tmdb", 19, 19), ("tvmaze", 31, 31 * 100)])
        let sizes = try #require(WarmSizes(stored, [Self.large], source: "tmdb"))
        #expect(sizes.usage(originals: 0, thumbnails: 1).bytes == (19 + 3_100) / 50 + 2_048)
    }

    @Test func `nothing is said of a level, or of originals, of which too few are stored`() {
        let few = Self.statistics([("tmdb", 19, 19_000)])
        #expect(WarmSizes(few, [Self.large], source: "tmdb") == nil)
        var without = Self.statistics([("tmdb", 20, 19_000)])
        without.originals = 19
        #expect(WarmSizes(without, [Self.large], source: "tmdb") == nil)
        #expect(WarmSizes(IndexStatistics(), [Self.large], source: nil) == nil)
    }

    @Test func `no size is too large`() throws {
        var huge = Self.statistics([("tmdb", 20, .max)])
        huge.originalBytes = .max
        let sizes = try #require(WarmSizes(huge, [Self.large], source: nil))
        #expect(sizes.usage(originals: .max, thumbnails: .max).bytes == 1 << 62)
    }
}
