import App
import ArgumentParser
import Catalog
import Pipeline

struct CachePurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Forget pictures, with every level and format of them.",
        discussion: """
              vitrine cache purge tvmaze/show/1   one item
              vitrine cache purge tvmaze          a source, with its pages
              vitrine cache purge all             everything but favourites and history

            A service that runs on the same cache keeps what it has in memory: ask it instead, by \
            POST /admin/purge.
            """)

    @Argument(help: "An item such as tvmaze/show/1, a source, or all.")
    var what: String

    @Flag(help: "Keep what is stored as out of date: shown until it is asked for anew.")
    var soft = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start()
        // Purging must not create a cache.
        guard LocalFile.isDirectory(settings.cache.directory) else {
            throw CommandError(
                "There is no directory \(settings.cache.directory); check --cache.")
        }
        let assembly = try await Assembly.open(settings)
        let outcome: Result<PurgeReceipt, any Error>
        do {
            let scope = try assembly.pipeline.purge.scope(what)
            outcome = .success(try await assembly.pipeline.purge.run(scope, soft: soft))
        } catch {
            outcome = .failure(error)
        }
        try await assembly.close()
        let receipt = try outcome.get()
        print(json ? try CacheFiles.json(receipt) : Self.text(receipt))
    }

    static func text(_ receipt: PurgeReceipt) -> String {
        let what = [
            ProgressReport.counted(receipt.items, "item"),
            ProgressReport.counted(receipt.originals, "original"),
            ProgressReport.counted(receipt.thumbnails, "thumbnail"),
            ProgressReport.counted(receipt.documents, "document"),
        ].joined(separator: ", ")
        return receipt.soft
            ? "\(what): out of date"
            : "\(what): removed, with \(ProgressReport.counted(receipt.blobs, "blob"))"
    }
}
