import App
import ArgumentParser
import Console
import Store

struct CacheGarbageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc",
        abstract: "Remove what no request can use, and evict down to the budget.",
        usage: "vitrine cache gc [<options>]",
        discussion: """
            Removes blobs that the index doesn't name, rows whose blob is gone, staging files of \
            dead processes and the quarantine, and counts the cache. Blobs of the last 15 \
            minutes stay, because a running process may be about to name them. Can run beside a \
            service. Exits with 3 and names them if files or directories could not be read.
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start()
        let receipt = try await OpenCache.during(settings) { cache in
            let progress = ProgressLine(plainInterval: nil)
            let began = ContinuousClock.now
            var receipt = try await cache.upkeep.collectGarbage { done in
                progress.update(
                    ProgressReport(
                        noun: "directories", done: done, total: 256, elapsed: .now - began))
            }
            let evicted = try await cache.upkeep.evictToBudget()
            progress.finish()
            receipt.evicted = evicted.files
            receipt.bytes += evicted.bytes
            return receipt
        }
        print(json ? try compactJSON(receipt) : Self.text(receipt))
        if receipt.unreadable.isEmpty { return }
        for line in receipt.unreadable { StandardError.shared.line(line) }
        throw ExitCode(3)
    }

    private static func text(_ receipt: GarbageReceipt) -> String {
        [
            ReadableText.counted(receipt.orphans, "orphan"),
            ReadableText.counted(receipt.rows, "row"),
            ReadableText.counted(receipt.leftovers, "leftover"),
            "\(ReadableText.counted(receipt.evicted, "blob")) evicted",
        ].joined(separator: ", ") + ": \(ReadableText.megabytes(receipt.bytes)) freed"
    }
}
