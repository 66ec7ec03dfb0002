import Imaging
import Store

/// What pictures of a run take on disk, before its first one is made: the means of what is stored. Pure.
struct WarmSizes: Equatable {
    /// Bytes of an original.
    private let original: Double
    /// Bytes of a thumbnail of each level and format.
    private let thumbnails: [Rendition: Double]
    /// As the mean of the run's levels and formats.
    private var thumbnail: Double {
        thumbnails.isEmpty
            ? 0 : thumbnails.values.reduce(0, +) / Double(thumbnails.count)
    }

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
        var means: [Rendition: Double] = [:]
        for rendition in renditions {
            let all = statistics.tallies.filter {
                $0.level == rendition.level.key && $0.format == rendition.format.rawValue
            }
            guard
                let mean = Self.mean(all.filter { $0.source == source }) ?? Self.mean(all)
            else { return nil }
            means[rendition] = share * mean
        }
        thumbnails = means
    }

    /// Pictures as they usually are: bytes by the formats' density, of as many pixels as a level or an
    /// original of that size has.
    ///
    /// - Parameter original: mean bytes.
    init(usual renditions: Set<Rendition>, original: Double) {
        self.original = original
        let most = original / Self.originalDensity
        thumbnails = Dictionary(
            uniqueKeysWithValues: renditions.map { rendition in
                let box = Double(rendition.level.width) * Double(rendition.level.height)
                return (rendition, min(box, most) * Self.density(rendition.format))
            })
    }

    /// Bytes of a pixel of an original: JPEG at the quality of shops and archives.
    private static let originalDensity = 0.2

    /// Bytes of a pixel of a thumbnail: photographs and posters at the default qualities.
    private static func density(_ format: ThumbnailFormat) -> Double {
        switch format {
        case .webp: 0.13
        case .jpeg: 0.18
        case .avif: 0.09
        case .png: 1.5
        }
    }

    /// Returns what so many new files take without the level, or of one level without the format, that takes
    /// most; nil if there is only one.
    func smaller(originals: Int, thumbnails count: Int) -> WarmForecast.Smaller? {
        guard count > 0, thumbnails.count > 1 else { return nil }
        func without(_ name: String, _ isLeftOut: (Rendition) -> Bool) -> WarmForecast.Smaller {
            let rest = thumbnails.filter { !isLeftOut($0.key) }
            let fewer = WarmSizes(original: original, thumbnails: rest)
            let left = count * rest.count / thumbnails.count
            return .init(
                without: name, bytes: fewer.usage(originals: originals, thumbnails: left).bytes)
        }
        let levels = Set(thumbnails.keys.map(\.level))
        let all =
            levels.count > 1
            ? levels.map { level in without("level \(level.name)") { $0.level == level } }
            : thumbnails.keys.map { one in
                without("format \(one.format.rawValue)") { $0.format == one.format }
            }
        return all.min { ($0.bytes, $0.without) < ($1.bytes, $1.without) }
    }

    /// Returns the expected bytes of new files: originals, then each level in each format, the smallest level
    /// first. `count` is the number of thumbnails of each.
    func parts(originals: Int, thumbnails count: Int) -> [WarmForecast.Part] {
        func bytes(_ mean: Double, _ files: Double) -> Int {
            WarmRoom.whole((mean + Double(WarmRoom.lostBytes)) * files)
        }
        let each = Double(count) / Double(max(1, thumbnails.count))
        let sorted = thumbnails.sorted { one, other in
            let (first, second) = (one.key, other.key)
            let areas = [first, second].map { $0.level.width * $0.level.height }
            return (areas[0], first.level.name, first.format.rawValue)
                < (areas[1], second.level.name, second.format.rawValue)
        }
        return [.init(bytes: bytes(original, Double(originals)))]
            + sorted.map { rendition, mean in
                .init(
                    level: rendition.level.name, format: rendition.format.rawValue,
                    bytes: bytes(mean, each))
            }
    }

    private init(original: Double, thumbnails: [Rendition: Double]) {
        self.original = original
        self.thumbnails = thumbnails
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

extension WarmForecast {
    /// Tells what the result takes beside what is free.
    ///
    /// - Parameters:
    ///   - sizes: by what is stored; nil if too little is.
    ///   - usual: by the formats and the mean size of the originals; nil if that is not known.
    mutating func weigh(_ sizes: WarmSizes?, orElse usual: WarmSizes?, _ free: DiskUsage) {
        isUsual = sizes == nil && usual != nil
        let sizes = sizes ?? usual
        (freeBytes, freeFiles) = (free.bytes, free.files)
        let usage = sizes?.usage(originals: originals, thumbnails: thumbnails)
        (bytesStored, filesStored) = (usage?.bytes, usage?.files)
        parts = sizes?.parts(originals: originals, thumbnails: thumbnails)
        smaller = sizes?.smaller(originals: originals, thumbnails: thumbnails)
    }
}
