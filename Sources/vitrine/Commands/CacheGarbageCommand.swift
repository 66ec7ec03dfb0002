import App
import ArgumentParser
import Console
import Store

struct CacheGarbageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc",
        abstract: "Remove what no request can use, and evict down to the budget.",
        discussion: """
            Removes blobs that the index doesn't name, rows whose blob is gone, staging files of \
            dead processes and the quarantine, and counts the cache. Blobs of the last 15 \
            minutes stay, because a running process may be about to name them. Can run beside a \
            service.
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start()
        let summary = try await OpenCache.during(settings) { cache in
            let progress = ProgressLine(plainInterval: nil)
            let began = ContinuousClock.now
            let receipt = try await cache.upkeep.collectGarbage { done in
                progress.update(
                    ProgressReport(
                        noun: "directories", done: done, total: 256, elapsed: .now - began))
            }
            let evicted = try await cache.upkeep.evictToBudget()
            progress.finish()
            return Summary(receipt, evicted: evicted)
        }
        print(json ? try prettyJSON(summary) : summary.text)
    }

    struct Summary: Encodable {
        var orphans: Int
        var rows: Int
        var leftovers: Int
        var evicted: Int
        var bytes: Int

        init(_ receipt: GarbageReceipt, evicted: DiskUsage) {
            orphans = receipt.orphans
            rows = receipt.rows
            leftovers = receipt.leftovers
            self.evicted = evicted.files
            bytes = receipt.bytes + evicted.bytes
        }

        var text: String {
            [
                ProgressReport.counted(orphans, "orphan"), ProgressReport.counted(rows, "row"),
                ProgressReport.counted(leftovers, "leftover"),
                "\(ProgressReport.counted(evicted, "blob")) evicted",
            ].joined(separator: ", ") + ": \(ProgressReport.megabytes(bytes)) freed"
        }
    }
}
