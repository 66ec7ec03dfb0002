import App
import ArgumentParser
import Catalog
import Console
import Pipeline
import Threads

struct CachePinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep the thumbnails of items when the cache needs room.",
        usage: "vitrine cache pin [<items> ...] [<options>]",
        discussion: """
              vitrine cache pin tvmaze/show/1 tvmaze/show/2
              vitrine cache pin --list items.txt
              vitrine cache pin https://example.org/a.jpg

            Pins don't download anything; warm the items for that. Favorites are pinned, too. All \
            together may take half of cache.budget. A running service reads new pins within a minute.
            """)

    @OptionGroup var items: PinnedItemOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start()
        let receipt = try await Assembly.during(settings) { assembly in
            let pins = assembly.pipeline.pins
            return try await pins.pin(try await items.read(pins))
        }
        print(json ? try compactJSON(receipt) : Self.text(receipt))
        if let first = receipt.refused.first {
            throw CommandError(
                "\(ReadableText.counted(receipt.refused.count, "item")) could not be pinned, "
                    + "\(first) first: pinned thumbnails may take "
                    + "\(ReadableText.megabytes(receipt.limit)). "
                    + "Raise cache.budget.")
        }
    }

    static func text(_ receipt: PinReceipt) -> String {
        "\(ReadableText.counted(receipt.pinned, "item")) pinned, \(receipt.known) already: "
            + "\(ReadableText.megabytes(receipt.bytes)) of "
            + "\(ReadableText.megabytes(receipt.limit)) for pinned thumbnails"
    }
}

struct CacheUnpinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin", abstract: "Let the thumbnails of items be evicted again.",
        usage: "vitrine cache unpin [<items> ...] [<options>]",
        discussion: "Favorites stay protected; remove those with DELETE /v1/favorites/….")

    @OptionGroup var items: PinnedItemOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start()
        let removed = try await Assembly.during(settings) { assembly in
            let pins = assembly.pipeline.pins
            return try await pins.unpin(try await items.read(pins))
        }
        print(
            json
                ? try compactJSON(["unpinned": removed])
                : "\(ReadableText.counted(removed, "item")) unpinned")
    }
}

/// The items of `cache pin` and `cache unpin`.
struct PinnedItemOptions: ParsableArguments {
    @Argument(help: "Items such as tvmaze/show/1, or URLs of pictures.")
    var items: [String] = []

    @Option(help: "A file with one item per line; - is standard input.")
    var list: String?

    func validate() throws {
        if items.isEmpty, list == nil {
            throw ValidationError("Name at least one item, or give --list FILE.")
        }
    }

    /// Returns the items. Empty lines and lines that begin with `#` are skipped.
    func read(_ pins: Pins) async throws -> [Item] {
        var found = try items.map { item in
            try CommandError.naming { () throws(Failure) in try pins.item(item) }
        }
        guard let list else { return found }
        let path = list == "-" ? "/dev/stdin" : list
        let bytes = try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.read(path, limit: 256 << 20)
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            // A URL may have blanks within.
            let text = String(decoding: line, as: UTF8.self).trimmed
            if text.isEmpty || text.hasPrefix("#") { continue }
            do throws(Failure) {
                found.append(try pins.item(text))
            } catch {
                throw CommandError.usage("\(list):\(number + 1): \(error)")
            }
        }
        return found
    }
}
