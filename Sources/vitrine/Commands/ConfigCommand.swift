import App
import ArgumentParser
import Console
import FoundationEssentials

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the settings in force and where each came from; secrets stay hidden.",
        usage: "vitrine config [<options>]",
        discussion: """
            With --check it prints every mistake in the settings, with file and line, instead. The status \
            is 78 if there is one.
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print nothing but every mistake.")
    var check = false

    @Flag(help: "Print config/vitrine.yaml with every key at its default.")
    var defaults = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        if defaults {
            print(ConfigurationKey.document(), terminator: "")
            return
        }
        let environment = ProcessEnvironment.values
        if check {
            let problems = shared.check(environment: environment).problems
            for problem in problems { StandardError.shared.line("vitrine: \(problem)") }
            if !problems.isEmpty { throw ExitCode(CommandError.Status.configuration.rawValue) }
            return
        }
        let loaded = try shared.load(environment: environment)
        let listing = ConfigurationListing(loaded)
        if json {
            print(try prettyJSON(listing))
        } else {
            for line in TextTable(widest: [1: 28], rows: listing.rows).lines { print(line) }
        }
        for warning in loaded.warnings { StandardError.shared.line(warning) }
    }

    func validate() throws {
        if [json, defaults, check].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --json, --defaults and --check.")
        }
    }
}
