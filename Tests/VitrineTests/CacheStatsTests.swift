import Foundation
import Testing

@testable import Console
@testable import Store
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct CacheStatsTests {
    private func summary(_ index: IndexStatistics) -> CacheStatsCommand.Summary {
        var disk = UpkeepStatus()
        disk.usage = DiskUsage(bytes: 151_000_000, files: 4_372)
        disk.limits = DiskUsage(bytes: 27_055_000_000, files: 1_677_721)
        return .init(
            directory: "cache", disk: disk, pinnedLimit: 13_519_000_000, index: index,
            served: ServedCounts(hits: 1_200, misses: 34))
    }

    @Test func `statistics are aligned lines that fit a terminal`() {
        var index = IndexStatistics()
        (index.items, index.originals, index.originalBytes) = (195, 216, 34_000_000)
        (index.thumbnails, index.thumbnailBytes) = (1_870, 89_600_000)
        index.oldest = Date(timeIntervalSince1970: 1_763_840_000)
        (index.documents, index.documentBytes, index.failures) = (302, 512_000, 5)
        index.tallies = [
            .init(
                source: "tvmaze", level: "l:640x960", format: "jpeg", thumbnails: 1_870,
                bytes: 18_900_000),
            .init(
                source: "tvmaze", level: "xs:80x120c", format: "webp", thumbnails: 187,
                bytes: 400_000),
        ]
        let text = summary(index).text
        #expect(
            text == """
                cache    cache
                on disk  151 MB of 27.1 GB (0 %), 4,372 of 1,677,721 files
                hits     97.2 % of 1,234 requests for pictures, since the cache was made

                items          195           with a picture or a placeholder
                originals      216  34.0 MB  as origins sent them; some may be evicted
                thumbnails   1,870  89.6 MB  the oldest is of 2025-11-22T19:33:20Z
                documents      302   512 KB  pages and items of catalogs
                failures         5           remembered, so that origins are not asked again
                pinned           0      0 B  of 13.5 GB; favorites and pins stay
                quarantined      0      0 B  damaged files, kept apart
                dangerous        0           originals that crashed a renderer
                saved                   0 B  by storing equal pictures once

                thumbnails   xs      l
                tvmaze      187  1,870  19.3 MB

                jpeg  1,870  18.9 MB
                webp    187   400 KB
                """)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `the matrix of sources and levels fits a terminal, however many levels there are`() {
        var index = IndexStatistics()
        index.tallies = (1...14).flatMap { number in
            ["tvmaze", "a-source-of-the-settings"].map { source in
                .init(
                    source: source, level: "level\(number):\(number)x1", format: "webp",
                    thumbnails: 123_456, bytes: 1_000_000_000)
            }
        }
        index.tallies.append(
            .init(
                source: "tvmaze", level: "pyramid/512:65535x65535", format: "jpeg", thumbnails: 3,
                bytes: 1_000))
        let text = summary(index).text
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        for number in 1...14 { #expect(text.contains("level\(number)")) }
        #expect(text.contains("zoom") && !text.contains("65"))
        #expect(text.contains("14.0 GB"))
    }

    @Test func `an empty cache has no table of thumbnails`() {
        let text = summary(IndexStatistics()).text
        #expect(text.hasSuffix("by storing equal pictures once"))
        #expect(!text.contains("the oldest"))
    }
}
