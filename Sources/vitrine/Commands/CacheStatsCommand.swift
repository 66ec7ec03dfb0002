import App
import ArgumentParser
import Store

struct CacheStatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print what the cache holds.")

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    struct Summary: Encodable {
        var directory: String
        var blobs: Int
        var bytes: Int
        var staging: Int
        var quarantined: Int
        var items: Int
        var originals: Int
        var failures: Int
        var thumbnails: Int
        var documents: Int
        /// Originals that crashed a renderer.
        var dangerous: Int

        init(directory: String, blobs: BlobStore.Statistics, index: IndexStatistics) {
            self.directory = directory
            self.blobs = blobs.blobs
            bytes = blobs.bytes
            staging = blobs.staging
            quarantined = blobs.quarantined
            items = index.items
            originals = index.originals
            failures = index.failures
            thumbnails = index.thumbnails
            documents = index.documents
            dangerous = index.quarantined
        }

        var text: String {
            let rows = [
                ("directory", directory),
                ("blobs", "\(blobs), \(ProgressReport.megabytes(bytes))"),
                ("staging", "\(staging)"),
                ("quarantined", "\(quarantined)"),
                ("items", "\(items)"),
                ("originals", "\(originals)"),
                ("failures", "\(failures)"),
                ("thumbnails", "\(thumbnails)"),
                ("documents", "\(documents)"),
                ("dangerous", "\(dangerous)"),
            ]
            return rows.map { "\($0.0.padded(to: 12)) \($0.1)" }.joined(separator: "\n")
        }
    }

    func run() async throws {
        let settings = try shared.start()
        let directory = settings.cache.directory
        let (blobs, index) = try await CacheFiles.open(directory)
        let summary = Summary(
            directory: directory, blobs: try await blobs.statistics(),
            index: try await index.statistics())
        print(json ? try CacheFiles.json(summary) : summary.text)
        try await FileThreads.run { () throws(StoreError) in try index.close() }
    }
}
