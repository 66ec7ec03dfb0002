import App
import ArgumentParser
import Catalog
import Console
import FoundationEssentials

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the settings in force and where each came from; secrets stay hidden.",
        discussion: """
            With --check it prints every mistake in the settings, with file and line, instead. The status \
            is 78 if there is one.
            """)

    @OptionGroup var shared: SharedOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print nothing but every mistake.")
    var check = false

    @Flag(help: "Print config/vitrine.yaml with every key at its default.")
    var defaults = false

    func run() async throws {
        if defaults {
            print(ConfigurationDocument.defaults(), terminator: "")
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
        print(json ? try listing.json() : listing.table, terminator: "")
        for note in loaded.warnings + Self.notes(on: environment) {
            StandardError.shared.line(note)
        }
    }

    func validate() throws {
        if [json, defaults, check].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --json, --defaults and --check.")
        }
    }

    /// Returns notes on variables that look like a mistyped setting.
    ///
    /// Other unknown variables are ignored, because Kubernetes sets its own with this prefix for a
    /// service of this name.
    static func notes(on environment: [String: String]) -> [String] {
        let names = ConfigurationKey.all.map(\.environmentName)
        let former = (ConfigurationKey.all.flatMap(\.formerPaths) + ConfigurationKey.removed.keys)
            .map(ConfigurationKey.environmentName)
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix("VITRINE_"), !names.contains(name), !former.contains(name),
                let nearest = NearestName.of(name, among: names)
            else { return nil }
            return "note: \(name) is not a setting; did you mean \(nearest)?"
        }
    }
}
