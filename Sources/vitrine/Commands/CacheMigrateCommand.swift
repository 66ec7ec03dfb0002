import App
import ArgumentParser
import Console
import Store

struct CacheMigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Import the index of an earlier version.",
        discussion: """
            A running service imports it in the background and finds its pictures meanwhile. This command \
            imports the rest at once. Earlier versions can use their index until --finish removes it.
            """)

    @Flag(help: "Remove the earlier index after its import. Earlier versions begin anew then.")
    var finish = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    struct Summary: Encodable {
        var found: Bool
        var originals: Int
        var thumbnails: Int
        var bindings: Int
        var documents: Int
        var removed: Bool

        init(_ migration: IndexMigration) {
            found = migration.isFound
            originals = migration.originals
            thumbnails = migration.thumbnails
            bindings = migration.bindings
            documents = migration.documents
            removed = migration.isRemoved
        }

        var text: String {
            let copied = [
                ProgressReport.counted(originals, "original"),
                ProgressReport.counted(thumbnails, "thumbnail"),
                ProgressReport.counted(bindings, "binding"),
                ProgressReport.counted(documents, "document"),
            ].joined(separator: ", ")
            guard found else { return "The cache has no index of an earlier version." }
            let end =
                removed
                ? "The earlier index was removed."
                : "The earlier index is still there. Remove it with --finish."
            return "Imported: \(copied). \(end)"
        }
    }

    func run() async throws {
        let settings = try shared.start()
        let cache = try await OpenCache(settings)
        let summary = Summary(try await cache.index.migrate(finishing: finish))
        try await cache.close()
        print(json ? try prettyJSON(summary) : summary.text)
    }
}
