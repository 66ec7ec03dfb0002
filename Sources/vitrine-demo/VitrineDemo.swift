import ArgumentParser

/// The demo's own program: an origin with invented contents, and pictures for benchmarks.
@main
struct VitrineDemo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vitrine-demo",
        abstract: "Invented catalogs and drawn pictures, for demos, tests and benchmarks.",
        discussion: "`vitrine demo` starts this program and serves what it shows.",
        subcommands: [OriginCommand.self, CorpusCommand.self, CertificateCommand.self],
        defaultSubcommand: OriginCommand.self)
}
