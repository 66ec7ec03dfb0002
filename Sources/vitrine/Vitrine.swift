import App
import ArgumentParser
import Catalog
import Console

@main
struct Vitrine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vitrine",
        abstract: "Thumbnails and a media cache for catalogs of artworks, posters and covers.",
        discussion: "Begin with docs/start.md. The package has it in /usr/share/doc/vitrine.",
        version: Version.number,
        subcommands: [
            ServeCommand.self,
            HealthCommand.self,
            WarmCommand.self,
            WorkerCommand.self,
            ReconcileCommand.self,
            ClusterCommand.self,
            ThumbCommand.self,
            ExplainCommand.self,
            BlockCommand.self,
            UnblockCommand.self,
            SourceCommand.self,
            SignCommand.self,
            DemoCommand.self,
            CacheCommand.self,
            BenchCommand.self,
            ConfigCommand.self,
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
