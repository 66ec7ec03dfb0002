import ArgumentParser

struct SourceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "source",
        abstract: "Show the sources, and test one that the settings describe.",
        subcommands: [SourceListCommand.self, SourceTestCommand.self])
}
