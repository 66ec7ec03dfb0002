import App
import ArgumentParser
import FoundationEssentials
import Store

struct CacheStatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print what the cache holds.",
        discussion: "Reads counters that are kept, so it is quick whatever the cache holds.")

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    struct Summary: Encodable {
        struct Tally: Encodable {
            var source: String
            var level: String
            var format: String
            var thumbnails: Int
            var bytes: Int
        }

        struct Usage: Encodable {
            var bytes: Int
            var files: Int

            init(_ usage: DiskUsage) {
                bytes = usage.bytes
                files = usage.files
            }

            func text(_ noun: String = "file") -> String {
                "\(ProgressReport.megabytes(bytes)), \(ProgressReport.counted(files, noun))"
            }
        }

        var directory: String
        /// Everything below the directory.
        var used: Usage
        var limit: Usage
        /// Whether the numbers are an estimate, until everything was counted once.
        var isEstimate: Bool
        var quarantined: Usage
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
        var tallies: [Tally]
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
            used = Usage(disk.usage)
            limit = Usage(disk.limits)
            isEstimate = !disk.isCounted
            quarantined = Usage(disk.quarantined)
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
            tallies = index.tallies.map {
                Tally(
                    source: $0.source.isEmpty ? "other" : $0.source, level: $0.level,
                    format: $0.format, thumbnails: $0.thumbnails, bytes: $0.bytes)
            }
            dangerous = index.quarantined
            (hits, misses, hitRatio) = (served.hits, served.misses, served.hitRatio)
            oldest = index.oldest?.formatted(.iso8601)
        }

        private var hitRatioText: String {
            guard let hitRatio else { return "no requests" }
            let percent = (hitRatio * 1_000).rounded(.down) / 10
            return "\(percent) % of \(ProgressReport.counted(hits + misses, "request"))"
        }

        var text: String {
            let rows = [
                ("directory", directory),
                ("used", used.text() + (isEstimate ? " (estimated; run cache gc)" : "")),
                ("limit", limit.text()),
                ("quarantined", quarantined.text()),
                (
                    "pinned",
                    "\(ProgressReport.megabytes(pinnedBytes)) of "
                        + "\(ProgressReport.megabytes(pinnedLimit)), "
                        + ProgressReport.counted(pinnedItems, "item")
                ),
                ("items", "\(items)"),
                (
                    "originals",
                    "\(originals), \(ProgressReport.megabytes(originalBytes)), evicted ones included"
                ),
                ("failures", "\(failures)"),
                ("thumbnails", "\(thumbnails), \(ProgressReport.megabytes(thumbnailBytes))"),
                ("stored once", "\(ProgressReport.megabytes(savedBytes)) saved"),
                ("documents", "\(documents), \(ProgressReport.megabytes(documentBytes))"),
                ("dangerous", "\(dangerous)"),
                ("oldest", oldest.map { "rendered \($0)" } ?? "nothing"),
                ("hit ratio", hitRatioText),
            ]
            return
                (rows.map { "\($0.0.padded(to: 12)) \($0.1)" }
                + tallies.map { tally in
                    "  \("\(tally.source) \(tally.level) \(tally.format)".padded(to: 30)) "
                        + "\(tally.thumbnails), \(ProgressReport.megabytes(tally.bytes))"
                }).joined(separator: "\n")
        }
    }

    func run() async throws {
        let settings = try shared.start()
        let cache = try await OpenCache(settings)
        try await cache.upkeep.refreshPins()
        let summary = Summary(
            directory: settings.cache.directory, disk: cache.upkeep.status,
            pinnedLimit: cache.upkeep.pinLimit, index: try await cache.index.statistics(),
            served: await cache.upkeep.servedCounts())
        try await cache.close()
        print(json ? try prettyJSON(summary) : summary.text)
    }
}
