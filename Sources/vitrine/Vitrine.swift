import App
import ArgumentParser
import Catalog
import Glibc
import Imaging
import Memory

@main
struct Vitrine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vitrine",
        abstract: "Thumbnails and a media cache for catalogs of artworks, posters and covers.",
        version: Version.number,
        subcommands: [
            ServeCommand.self,
            WarmCommand.self,
            WorkerCommand.self,
            ReconcileCommand.self,
            ClusterCommand.self,
            ThumbCommand.self,
            ExplainCommand.self,
            SourceCommand.self,
            SignCommand.self,
            DemoCommand.self,
            CacheCommand.self,
            BenchCommand.self,
            ConfigCommand.self,
            RenderChildCommand.self,
            BenchRenderCommand.self,
        ])

    static func main() async {
        Allocator.boundArenas()
        do {
            let arguments = joiningNegativeNumbers(Array(CommandLine.arguments.dropFirst()))
            // Must run before any other thread starts: a child drops its rights while it has only
            // one thread.
            if arguments.first == RenderChildCommand.configuration.commandName {
                return RenderChild.run()
            }
            // Secrets are overwritten in the environment while there is only one thread.
            _ = ProcessEnvironment.values
            OwnMemory.hide()
            try checkProc()
            OpenFileLimit.raise()
            // A file over RLIMIT_FSIZE is an error of its write, not the end of the process.
            signal(SIGXFSZ, SIG_IGN)
            try checkName(arguments)
            var command = try await asyncParseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(CommandExit(error, of: Self.self))
        }
    }

    private static func end(_ end: CommandExit) -> Never {
        switch end {
        case .printed(let text):
            // The libraries are opened only for a request that names them.
            print(text == Version.number ? Version.report() : text)
            Glibc.exit(0)
        case .status(let status):
            Glibc.exit(status)
        case .failed(let error):
            let sentence = error.description.split(whereSeparator: \.isNewline)
                .joined(separator: " ")
            StandardError.shared.failure("vitrine: \(sentence)")
            Glibc.exit(error.status.rawValue)
        }
    }

    /// Without `/proc` the program has no arguments, and its blobs can't get their names.
    private static func checkProc() throws(CommandError) {
        guard access("/proc/self/fd", X_OK) == 0 else {
            throw CommandError(
                "/proc is missing, and this program reads its arguments and its open files there. "
                    + "Mount it: mount -t proc proc /proc.")
        }
    }

    /// Writes `--limit -1` as `--limit=-1`, so that the number is not taken for an option.
    static func joiningNegativeNumbers(_ arguments: [String]) -> [String] {
        arguments.reduce(into: []) { joined, argument in
            let isNumber = argument.hasPrefix("-") && Double(argument) != nil
            if isNumber, let option = joined.last, option.hasPrefix("--"), option.count > 2,
                !option.contains("=")
            {
                joined[joined.count - 1] = "\(option)=\(argument)"
            } else {
                joined.append(argument)
            }
        }
    }

    /// Reports a mistyped command, which the argument parser would call a stray argument.
    static func checkName(_ arguments: [String]) throws(CommandError) {
        guard let name = arguments.first, !name.hasPrefix("-") else { return }
        let hidden = configuration.subcommands.filter { !$0.configuration.shouldDisplay }
            .compactMap { $0.configuration.commandName }
        if hidden.contains(name) { return }
        let names =
            configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .compactMap { $0.configuration.commandName } + ["help"]
        if names.contains(name) { return }
        if let nearest = NearestName.of(name, among: names) {
            throw .usage("Unknown command “\(name)”; did you mean “\(nearest)”?")
        }
        throw .usage("Unknown command “\(name)”; choose \(names.listed(by: "or")).")
    }
}
