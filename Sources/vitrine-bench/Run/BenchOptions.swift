import ArgumentParser
import Console

/// The options of every subject of `vitrine bench`.
struct BenchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Measured rounds of every case; the cases take turns. (default: 5, or 3 with --quick)",
            valueName: "n"))
    var rounds: Int?

    @Option(
        help: ArgumentHelp(
            "Pictures, contents and the order of the cases follow from this number.",
            valueName: "n"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "Measure the pictures of this directory instead of drawn ones.", valueName: "dir"))
    var input: String?

    @Flag(help: "Fewer cases, pictures and rounds: everything in under five minutes.")
    var quick = false

    @Flag(help: "Measure other programs that are installed in the same rounds.")
    var against = false

    @Option(
        help: ArgumentHelp(
            "Only these programs, separated by commas; implies --against.", valueName: "names"))
    var peers: String?

    @Option(help: ArgumentHelp("Write the report as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the report as a page.", valueName: "file"))
    var html: String?

    /// Further configurations: `--config` given again, see ``BenchCommand/main()``.
    @Option(help: .hidden) var beside: [String] = []

    /// Measured rounds of every case.
    var roundCount: Int { rounds ?? (quick ? 3 : 5) }

    func validate() throws {
        if let rounds, !(1...1_000).contains(rounds) {
            throw ValidationError("--rounds is \(rounds); expected 1 to 1000.")
        }
        if let peers, peers.split(separator: ",").isEmpty {
            throw ValidationError("--peers is empty; name a program, such as vipsthumbnail.")
        }
    }

    /// Whether a peer is to be measured if it is installed.
    func wants(peer name: String) -> Bool {
        guard let peers else { return against }
        return peers.split(separator: ",").contains { $0 == name }
    }
}
