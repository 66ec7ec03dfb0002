import App
import ArgumentParser
import Catalog
import Console
import Fleet
import Pipeline

struct CachePurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove pictures with all their levels and formats.",
        usage: "vitrine cache purge <what> [<options>]",
        discussion: """
              vitrine cache purge tvmaze/show/1   one item
              vitrine cache purge https://example.org/1.jpg
                                                  the picture at a URL
              vitrine cache purge tvmaze          a source, with its pages
              vitrine cache purge all             everything except favorites and history

            A running service notices it within about a second. If the settings name a queue, all nodes of \
            the fleet do the same: the receipt says which have, and nodes that are down do it before they \
            serve again.
            """)

    @Argument(help: "An item such as tvmaze/show/1, a URL, a source, or all.")
    var what: String

    @Flag(help: "Mark pictures as stale. They are shown until they are refreshed.")
    var soft = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start()
        // Purging must not create a cache.
        try settings.checkCache()
        let (receipt, failures) = try await Assembly.during(settings, as: .command) { assembly in
            let scope = try CommandError.naming { () throws(Failure) in
                try assembly.pipeline.purge.scope(what)
            }
            try await assembly.fleet?.follow(assembly.pipeline)
            let receipt = try await assembly.pipeline.purge.everywhere(scope, soft: soft)
            return (receipt, await assembly.purgeCalls?.settled() ?? [])
        }
        print(json ? try prettyJSON(receipt) : Self.text(receipt))
        if let reason = failures.first {
            throw CommandError(
                "The purge did not reach the cache in front, which may show what was purged. \(reason) "
                    + "Repeat the purge once it can be reached.")
        }
    }

    static func text(_ receipt: PurgeReceipt) -> String {
        let what = [
            ReadableText.counted(receipt.items, "item"),
            ReadableText.counted(receipt.originals, "original"),
            ReadableText.counted(receipt.thumbnails, "thumbnail"),
            ReadableText.counted(receipt.documents, "document"),
        ].joined(separator: ", ")
        let own =
            receipt.soft
            ? "\(what): out of date"
            : "\(what): removed, with \(ReadableText.counted(receipt.blobs, "blob"))"
                + " of \(ReadableText.megabytes(receipt.bytes))"
        guard let sequence = receipt.sequence, let nodes = receipt.nodes else { return own }
        let passed = nodes.count(where: \.passed)
        let late = nodes.filter { !$0.passed }.map { "\n  \($0.name) has not done it yet" }
        return own + "\npurge \(sequence): \(passed) of \(nodes.count) other nodes have done it"
            + late.joined()
    }
}
