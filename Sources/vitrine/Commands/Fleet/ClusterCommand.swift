import App
import ArgumentParser
import Console
import Fleet
import FoundationEssentials
import Threads
import WorkQueue

struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Look at a fleet of nodes.",
        subcommands: [ClusterStatusCommand.self])
}

struct ClusterStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print the nodes, the queue and its backlog, and which purges each node follows.",
        usage: "vitrine cluster status [<options>]",
        discussion: """
            Exit status: 0, or 1 if the queue can't be reached.
            """)

    @OptionGroup var fleet: FleetOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start(fleet.flags)
        let hub = try await Assembly.openHub(settings)
        let status = try await withEnd(hub.close) { try await FleetStatus.now(hub) }
        print(json ? try prettyJSON(status) : Self.text(status, now: Date()))
    }

    static func text(_ status: FleetStatus, now: Date) -> String {
        var lines = ["queue \(status.queue)"]
        let backlog = status.backlog
        let age = backlog.oldest.map {
            ", the oldest \(ReadableText.clock(.seconds($0.rounded()))) old"
        }
        lines.append(
            "\(ReadableText.counted(backlog.waiting, "job")) waiting, \(backlog.leased) with "
                + "workers, \(backlog.redelivered) again, \(backlog.dead) given up\(age ?? "")")
        for part in backlog.parts {
            lines.append(
                "  \(part.lane.rawValue) \(part.origin): \(part.waiting) waiting, \(part.leased) "
                    + "with workers")
        }
        lines.append("\(ReadableText.counted(status.nodes.count, "node")) up")
        if status.blocks > 0 {
            lines.append("\(ReadableText.counted(status.blocks, "block")) in force")
        }
        let nodes = status.nodes.map { node in
            var words = [node.version, node.recipe]
            if node.role == .worker {
                words.append(
                    "\(node.busy) of \(node.places) items, \(node.done) done, \(node.failed) failed"
                )
            }
            if let lag = status.lag(of: node) {
                words.append(
                    lag == 0
                        ? "all purges followed"
                        : "\(ReadableText.counted(Int(clamping: lag), "purge")) behind")
            }
            if status.ignoresBlocks(node) {
                words.append("shows what is blocked: upgrade it to \(Version.number)")
            }
            if node.isDraining { words.append("draining") }
            return ["  \(node.name)", words.joined(separator: "  ")]
        }
        lines += TextTable(rows: nodes).lines
        if !status.dead.isEmpty { lines.append("given up, the newest first:") }
        for dead in status.dead {
            lines.append(
                "  \(dead.at.ISO8601Format())  \(dead.reason)  (\(dead.deliveries) deliveries)")
        }
        return lines.joined(separator: "\n")
    }
}
