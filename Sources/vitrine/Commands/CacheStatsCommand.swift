import App
import ArgumentParser
import Console
import FoundationEssentials
import Store

struct CacheStatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print what the cache holds.",
        usage: "vitrine cache stats [<options>]",
        discussion: "Reads stored counters, so it is fast for a cache of any size.")

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    struct Summary: Encodable {
        var directory: String
        /// Everything below the directory.
        var used: DiskUsage
        var limit: DiskUsage
        /// Whether the numbers are an estimate, until everything was counted once.
        var isEstimate: Bool
        var quarantined: DiskUsage
        /// Bytes of thumbnails that are not evicted, and their items.
        var pinnedBytes: Int
        var pinnedItems: Int
        var pinnedLimit: Int
        var items: Int
        var originals: Int
        var originalBytes: Int
        var failures: Int
        var thumbnails: Int
        var thumbnailBytes: Int
        /// Bytes that equal pictures don't take because they are stored once.
        var savedBytes: Int
        var documents: Int
        var documentBytes: Int
        /// Thumbnails by source, level and format.
        var tallies: [IndexStatistics.Tally]
        /// Originals that crashed a renderer.
        var dangerous: Int
        /// Requests for pictures, by whether they were in the cache.
        var hits: Int
        var misses: Int
        /// From 0 to 1.
        var hitRatio: Double?
        /// When the oldest thumbnail was rendered (ISO 8601).
        var oldest: String?

        init(
            directory: String, disk: UpkeepStatus, pinnedLimit: Int, index: IndexStatistics,
            served: ServedCounts
        ) {
            self.directory = directory
            used = disk.usage
            limit = disk.limits
            isEstimate = !disk.isCounted
            quarantined = disk.quarantined
            pinnedBytes = disk.pinnedBytes
            pinnedItems = disk.pinnedItems + disk.unprotectedItems
            self.pinnedLimit = pinnedLimit
            items = index.items
            originals = index.originals
            originalBytes = index.originalBytes
            failures = index.failures
            thumbnails = index.thumbnails
            thumbnailBytes = index.thumbnailBytes
            savedBytes = index.savedBytes
            documents = index.documents
            documentBytes = index.documentBytes
            tallies = index.tallies.map { tally in
                var named = tally
                if tally.source.isEmpty { named.source = "other" }
                return named
            }
            dangerous = index.dangerous
            (hits, misses, hitRatio) = (served.hits, served.misses, served.hitRatio)
            oldest = index.oldest?.formatted(.iso8601)
        }

        /// Lines of at most 80 columns, apart from the directory.
        var text: String {
            let tables = TallyTable(tallies).tables.map(\.lines)
            return ([overview.lines, contents.lines] + tables)
                .map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
        }

        private var overview: TextTable {
            let share = limit.bytes > 0 ? Double(used.bytes) / Double(limit.bytes) * 100 : 0
            let usage = [
                "on disk",
                "\(ReadableText.size(used.bytes)) of \(ReadableText.size(limit.bytes)) "
                    + "(\(Int(share)) %), \(ReadableText.count(used.files)) of "
                    + "\(ReadableText.count(limit.files)) files",
            ]
            let estimate = isEstimate ? [["", "estimated; vitrine cache gc counts them"]] : []
            return TextTable(
                rows: [["cache", directory], usage] + estimate + [["hits", hitRatioText]])
        }

        private var hitRatioText: String {
            guard let hitRatio else { return "no requests yet" }
            let percent = (hitRatio * 1_000).rounded(.down) / 10
            let requests = ReadableText.count(hits + misses)
            return "\(percent) % of \(requests) requests for pictures, since the cache was made"
        }

        private var contents: TextTable {
            let size = ReadableText.size
            let rows: [(String, Int, Int?, String)] = [
                ("items", items, nil, "with a picture or a placeholder"),
                (
                    "originals", originals, originalBytes,
                    "as origins sent them; some may be evicted"
                ),
                (
                    "thumbnails", thumbnails, thumbnailBytes,
                    oldest.map { "the oldest is of \($0)" } ?? ""
                ),
                ("documents", documents, documentBytes, "pages and items of catalogs"),
                ("failures", failures, nil, "remembered, so that origins are not asked again"),
                (
                    "pinned", pinnedItems, pinnedBytes,
                    "of \(size(pinnedLimit)); favorites and pins stay"
                ),
                ("quarantined", quarantined.files, quarantined.bytes, "damaged files, kept apart"),
                ("dangerous", dangerous, nil, "originals that crashed a renderer"),
            ]
            return TextTable(
                right: [1, 2],
                rows: rows.map { name, count, bytes, note in
                    [name, ReadableText.count(count), bytes.map(size) ?? "", note]
                } + [["saved", "", size(savedBytes), "by storing equal pictures once"]])
        }
    }

    func run() async throws {
        let settings = try shared.start()
        let summary = try await OpenCache.during(settings) { cache in
            try await cache.upkeep.refreshPins()
            return Summary(
                directory: settings.cacheDirectory, disk: cache.upkeep.status,
                pinnedLimit: cache.upkeep.pinLimit, index: try await cache.index.statistics(),
                served: await cache.upkeep.servedCounts())
        }
        print(json ? try compactJSON(summary) : summary.text)
    }
}
