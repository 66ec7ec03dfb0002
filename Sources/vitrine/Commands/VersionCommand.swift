import App
import ArgumentParser

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version, and those of the libraries that are loaded.",
        usage: "vitrine version")

    func run() { print(Version.report()) }
}
