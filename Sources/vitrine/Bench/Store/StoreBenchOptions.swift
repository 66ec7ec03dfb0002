import ArgumentParser

/// The options of `vitrine bench store`.
struct StoreBenchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Thumbnails in the store before it is measured, of which the first 20000 have blobs. (default: 20000, or 2000 with --quick)",
            valueName: "n"))
    var entries: Int?

    @Option(
        help: ArgumentHelp(
            "Fill the store in this directory and keep it; a later run with the same entries and seed takes it as it is.",
            valueName: "dir"))
    var keep: String?

    func validate() throws {
        if let entries, !(100...100_000_000).contains(entries) {
            throw ValidationError("--entries is \(entries); expected 100 to 100000000.")
        }
    }

    /// Thumbnails in the store before it is measured.
    func count(isQuick: Bool) -> Int { entries ?? (isQuick ? 2_000 : 20_000) }
}
