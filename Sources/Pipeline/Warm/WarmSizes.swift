import Imaging
import Store

/// What pictures of a run take on disk, before its first one is made: the means of what is stored. Pure.
struct WarmSizes: Equatable {
    /// Bytes of an original.
    private let original: Double
    /// Bytes of a thumbnail, as the mean of the run's levels and formats.
    private let thumbnail: Double

    /// Returns nil if the cache holds too few originals, or too few thumbnails of a level and format, to
    /// tell. The run estimates by its first pictures then.
    ///
    /// - Parameter source: its thumbnails decide, where there are enough of them.
    init?(_ statistics: IndexStatistics, _ renditions: Set<Rendition>, source: String?) {
        guard statistics.originals >= WarmRoom.sample, !renditions.isEmpty else { return nil }
        // Equal pictures are stored once.
        let all = Double(statistics.originalBytes) + Double(statistics.thumbnailBytes)
        let share = all > 0 ? max(0, 1 - Double(statistics.savedBytes) / all) : 1
        original = share * Double(statistics.originalBytes) / Double(statistics.originals)
        var sum = 0.0
        for rendition in renditions {
            let all = statistics.tallies.filter {
                $0.level == rendition.level.key && $0.format == rendition.format.rawValue
            }
            guard
                let mean = Self.mean(all.filter { $0.source == source }) ?? Self.mean(all)
            else { return nil }
            sum += mean
        }
        thumbnail = share * sum / Double(renditions.count)
    }

    private static func mean(_ tallies: [IndexStatistics.Tally]) -> Double? {
        let thumbnails = tallies.reduce(0) { $0 + $1.thumbnails }
        guard thumbnails >= WarmRoom.sample else { return nil }
        return tallies.reduce(0) { $0 + Double($1.bytes) } / Double(thumbnails)
    }

    /// Returns what so many new files take.
    func usage(originals: Int, thumbnails: Int) -> DiskUsage {
        let files = Double(originals) + Double(thumbnails)
        let bytes =
            original * Double(originals) + thumbnail * Double(thumbnails)
            + files * Double(WarmRoom.lostBytes)
        return DiskUsage(bytes: WarmRoom.whole(bytes), files: WarmRoom.whole(files))
    }
}
