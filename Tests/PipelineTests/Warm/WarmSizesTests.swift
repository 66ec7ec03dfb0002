import Imaging
import Store
import Testing

@testable import Pipeline

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
