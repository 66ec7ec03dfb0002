import App
import ArgumentParser
import Catalog
import Console
import Fleet
import FoundationEssentials
import Pipeline
import Store

struct BlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Never fetch or show a picture again.",
        usage:
            "vitrine block <what> [--reason <text>] [<options>]\n       vitrine block --list [--json]",
        discussion: """
              vitrine block tvmaze/show/1 --reason "Court order 12/34"
                                                  one item
              vitrine block https://example.org/1.jpg
                                                  the picture at a URL, whoever names it
              vitrine block 'posters/picture/acme-*'
                                                  all items whose names begin like this
              vitrine block sha256-…              these bytes, wherever they come from

            Its thumbnails and originals are removed at once, from the shared store, too, and caches in \
            front are told. Clients get the placeholder with status 451 and the reason, or 410 without one. A \
            block survives purges and restarts; vitrine unblock ends it. A running service notices it within \
            about a second. If the settings name a queue, all nodes of the fleet do the same.
            """)

    @Argument(
        help:
            "An item such as tvmaze/show/1, a URL, the beginning of items with a *, or the digest of a picture."
    )
    var what: String?

    @Option(help: ArgumentHelp("What clients are told.", valueName: "text"))
    var reason: String?

    @Flag(help: "Print what is blocked.")
    var list = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if list != (what == nil) {
            throw ValidationError("Name what to block, or give --list.")
        }
        if list, reason != nil { throw ValidationError("--list takes no --reason.") }
    }

    func run() async throws {
        let settings = try shared.start()
        guard let what else {
            try settings.checkCache()
            let blocks = try await Assembly.during(settings) { $0.pipeline.blocking.all }
            print(json ? try prettyJSON(["blocks": blocks.map(Shown.init)]) : Self.text(blocks))
            return
        }
        let reason = reason
        let (receipt, failures) = try await Assembly.during(settings, as: .command) { assembly in
            try await assembly.fleet?.follow(assembly.pipeline)
            let receipt = try await Self.naming {
                () async throws(Failure) in
                try await assembly.pipeline.blocking.block(what, reason: reason)
            }
            return (receipt, await assembly.purgeCalls?.settled() ?? [])
        }
        print(json ? try prettyJSON(receipt) : Self.text(receipt))
        if let failure = failures.first {
            throw CommandError(
                "The cache in front could not be told and may show what was blocked. \(failure) "
                    + "Repeat this once it can be reached.")
        }
    }

    /// A block as the admin route has it.
    private struct Shown: Encodable {
        var target: String
        var reason: String?
        var blockedAt: String
        var origin: String
        var parent: String?

        init(_ record: BlockRecord) {
            target = record.target
            reason = record.reason
            blockedAt = record.changedAt.ISO8601Format()
            origin = record.origin.rawValue
            parent = record.parent
        }
    }

    /// Reports a mistake in the argument as one of the command line.
    static func naming<Value>(
        _ body: () async throws(Failure) -> Value
    ) async throws -> Value {
        do throws(Failure) {
            return try await body()
        } catch {
            throw CommandError.naming(error)
        }
    }

    static func text(_ blocks: [BlockRecord]) -> String {
        if blocks.isEmpty { return "Nothing is blocked." }
        let rows = blocks.map { block in
            let notes = [
                block.reason, block.parent.map { "follows from \($0)" },
                block.origin == .file ? "in the file of the settings" : nil,
            ]
            return [
                block.target, block.changedAt.ISO8601Format(),
                notes.compactMap(\.self).joined(separator: "; "),
            ]
        }
        return TextTable(rows: rows).lines.joined(separator: "\n")
    }

    static func text(_ receipt: BlockReceipt) -> String {
        var lines = receipt.targets.enumerated().map { number, target in
            number == 0 ? "\(target) is blocked" : "\(target) is blocked with it"
        }
        if let purge = receipt.purge { lines.append(CachePurgeCommand.text(purge)) }
        return (lines + nodes(receipt)).joined(separator: "\n")
    }

    /// Returns which nodes have done the same.
    static func nodes(_ receipt: BlockReceipt) -> [String] {
        guard let sequence = receipt.sequence, let nodes = receipt.nodes else { return [] }
        let passed = nodes.count(where: \.passed)
        return ["change \(sequence): \(passed) of \(nodes.count) nodes have done it"]
            + nodes.filter { !$0.passed }.map {
                "  \($0.name) has not done it: it is slow, or its version knows no blocks"
            }
    }
}

struct UnblockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unblock",
        abstract: "Let a blocked picture be shown again.",
        usage: "vitrine unblock <what> [<options>]",
        discussion: """
            Takes what vitrine block --list prints. The picture is fetched again when it is requested.
            """)

    @Argument(help: "An item, a URL, the beginning of items with a *, or a digest.")
    var what: String

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start()
        try settings.checkCache()
        let what = what
        let receipt = try await Assembly.during(settings, as: .command) { assembly in
            try await assembly.fleet?.follow(assembly.pipeline)
            let receipt = try await BlockCommand.naming {
                () async throws(Failure) in
                try await assembly.pipeline.blocking.unblock(what)
            }
            _ = await assembly.purgeCalls?.settled()
            return receipt
        }
        if json { return print(try prettyJSON(receipt)) }
        let lines = receipt.targets.map { "\($0) is no longer blocked" }
        print((lines + BlockCommand.nodes(receipt)).joined(separator: "\n"))
    }
}
