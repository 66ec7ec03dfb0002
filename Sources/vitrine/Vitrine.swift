import App
import ArgumentParser
import Catalog
import Console

@main
struct Vitrine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vitrine",
        abstract: "Thumbnails and a media cache for catalogs of artworks, posters and covers.",
        discussion: """
            Documentation: \(Version.documentation) with the package, docs/start.md in \
            the source.

            Commands that use the settings, the cache or the network also take:
              --config FILE       YAML file with settings
              --cache DIR         directory of the cache
              --log-level LEVEL   least level that is logged: trace, debug, info, notice,
                                  warning, error or critical
              --connect-to HOST:PORT:HOST:PORT
                                  connect to the second pair instead of the first
              --ca-file FILE      certificates that are trusted instead of the system's
              --proxy URL         proxy for every transfer
              --allow-network CIDR
                                  allow a network that is not public; repeatable
            """,
        version: Version.number,
        groupedSubcommands: [
            CommandGroup(
                name: "Service",
                subcommands: [
                    ServeCommand.self, HealthCommand.self, ConfigCommand.self, DemoCommand.self,
                ]),
            CommandGroup(
                name: "Picture",
                subcommands: [
                    WarmCommand.self, ExplainCommand.self, ThumbCommand.self, SignCommand.self,
                    SourceCommand.self,
                ]),
            CommandGroup(
                name: "Cache",
                subcommands: [CacheCommand.self, BlockCommand.self, UnblockCommand.self]),
            CommandGroup(
                name: "Fleet",
                subcommands: [WorkerCommand.self, ReconcileCommand.self, ClusterCommand.self]),
            CommandGroup(
                name: "Other",
                subcommands: [BenchCommand.self, CompletionCommand.self, VersionCommand.self]),
        ])

    static func main() async {
        ProgramRun.prepare { (arguments) throws(CommandError) in
            try BenchCommand.start(arguments)
            try checkName(arguments)
        }
        await ProgramRun.run(Self.self)
    }

    /// Reports a mistyped command, which the argument parser would call a stray argument.
    static func checkName(_ arguments: [String]) throws(CommandError) {
        guard let name = arguments.first, !name.hasPrefix("-") else { return }
        let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        if names.contains(name) { return }
        if let nearest = NearestName.of(name, among: names) {
            throw .usage("Unknown command “\(name)”; did you mean “\(nearest)”?")
        }
        throw .usage("Unknown command “\(name)”; choose \(names.listed(by: "or")).")
    }
}
