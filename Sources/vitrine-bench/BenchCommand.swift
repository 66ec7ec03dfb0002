import App
import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import Threads

/// `vitrine-bench`, which `vitrine bench` becomes.
@main
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vitrine bench",
        abstract: "Measure this machine, or compare two measurements or two configurations.",
        discussion: """
            Subjects: thumbnails renders pictures of all sizes; fetch downloads from the demo's origin; \
            serve answers requests over loopback; warm fills a cache; store publishes pictures and finds \
            them. Every case runs in rounds that take turns, and is printed as the median with its spread. \
            Nothing is measured from a cache unless the row says so. --config given twice measures both \
            configurations in the same rounds and prints speed, bytes and quality side by side. Exits with 0 \
            when all went well, 3 when some work failed or --compare finds something worse, 1 when the run \
            failed.
            """,
        version: Version.number)

    @Argument(
        help: ArgumentHelp(
            "What to measure; several may be named. (default: all, or thumbnails with two "
                + "configurations)",
            valueName: "subject"))
    var subjects: [BenchSubject] = []

    @OptionGroup(title: "Options of every subject") var options: BenchOptions

    @OptionGroup(title: "Options of thumbnails") var thumbnails: ThumbnailBenchOptions

    @OptionGroup(title: "Options of serve") var serve: ServeBenchOptions

    @OptionGroup(title: "Options of store") var store: StoreBenchOptions

    @OptionGroup(title: "Comparing") var comparing: CompareOptions

    @OptionGroup(title: "Settings") var shared: SharedOptions

    static func main() async {
        ProgramRun.prepare()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == BenchRenderCommand.name {
            await ProgramRun.run(BenchRenderCommand.self, Array(arguments.dropFirst()))
        } else {
            await ProgramRun.run(Self.self, severalConfigurations(arguments))
        }
    }

    /// Renames `--config` to `--beside` from the second on, because the shared option is one file.
    static func severalConfigurations(_ arguments: [String]) -> [String] {
        var isFirst = true
        return arguments.map { argument in
            guard argument == "--config" || argument.hasPrefix("--config=") else { return argument }
            defer { isFirst = false }
            return isFirst ? argument : "--beside" + argument.dropFirst("--config".count)
        }
    }

    func validate() throws {
        if !comparing.compare.isEmpty, !subjects.isEmpty {
            throw ValidationError(
                "--compare reads two reports and measures nothing; remove the subject.")
        }
        if options.beside.count > 1 {
            throw ValidationError("--config is given more than twice; two can be compared.")
        }
        if !options.beside.isEmpty, options.wants(peer: "") || options.peers != nil {
            throw ValidationError(
                "Two configurations are compared with each other; remove --against and --peers.")
        }
    }

    func run() async throws {
        if !comparing.compare.isEmpty { return try await comparing.run() }
        let configurations = try configurations()
        let report = try await Interruption.cancels { try await measure(configurations) }
        try await write(report)
        if configurations.count == 2 {
            let (first, second) = (configurations[0].name, configurations[1].name)
            let comparison = BenchComparison(
                report.only(configuration: first), report.only(configuration: second),
                tolerance: try comparing.share())
            print("\n" + comparison.text((first, second)))
        }
        if report.hasFailed { throw ExitCode(3) }
    }

    /// Settings, the options that give a child the same, and a name if there are two.
    struct Configuration: Sendable {
        var name: String
        var settings: Settings
        var arguments: [String]
    }

    private func configurations() throws -> [Configuration] {
        let first = Configuration(
            name: Self.name(shared.config ?? "", at: 1), settings: try shared.start(),
            arguments: shared.arguments)
        var other = shared
        return try [first]
            + options.beside.enumerated().map { place, file in
                other.config = file
                var name = Self.name(file, at: place + 2)
                if name == first.name { name += "-\(place + 2)" }
                return Configuration(
                    name: name, settings: try other.load().settings, arguments: other.arguments)
            }
    }

    /// The name of a file without its directory and its end.
    private static func name(_ path: String, at place: Int) -> String {
        let file = LocalFile.name(of: path).split(separator: ".").first
        return file.map(String.init) ?? "\(place)"
    }

    /// Measures in a directory that is removed afterwards, also after Ctrl-C.
    private func measure(_ configurations: [Configuration]) async throws -> BenchReport {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("vitrine-bench-\(UUID().uuidString)", isDirectory: true).path
        let vitrine = try SiblingProgram.path("vitrine", "The service")
        let options = options
        let contexts = try await FileThreads.run {
            try configurations.map { configuration in
                let directory = "\(scratch)/\(configuration.name)"
                try LocalFile.makeDirectory(directory)
                return BenchContext(
                    rounds: options.roundCount, seed: options.seed, isQuick: options.quick,
                    input: options.input, wantsPeer: { options.wants(peer: $0) },
                    settings: configuration.settings, settingArguments: configuration.arguments,
                    scratch: directory, vitrine: vitrine, say: { StandardError.shared.line($0) })
            }
        }
        var chosen = BenchSubject.allCases.filter(subjects.contains)
        if chosen.isEmpty { chosen = contexts.count > 1 ? [.thumbnails] : BenchSubject.allCases }
        let run = BenchRun(
            contexts: zip(configurations, contexts).map { (name: $0.name, context: $1) }, plan: plan
        )
        return try await withEnd {
            try await run.report(chosen)
        } end: {
            await FileThreads.run {
                do {
                    try FileManager.default.removeItem(atPath: scratch)
                } catch {
                    StandardError.shared.line("vitrine: \(scratch) could not be removed: \(error)")
                }
            }
        }
    }

    /// What one subject measures: each has a folder beside this file.
    @Sendable private func plan(
        _ subject: BenchSubject, _ context: BenchContext, _ closers: BenchClosers
    ) async throws -> BenchPlan {
        switch subject {
        case .thumbnails: try await ThumbnailBench(context, thumbnails).plan()
        case .store: try await StoreBench(context, store, closers).plan()
        case .fetch: try await FetchBench.plan(context, closers)
        case .serve: try await ServeBench(context, serve.settings(), closers).plan()
        case .warm: try await WarmBench.plan(context, closers)
        }
    }

    private func write(_ report: BenchReport) async throws {
        let files = [
            (options.json, { try prettyJSON(report) + "\n" }),
            (options.html, { try BenchPage(report).html }),
        ]
        for (path, text) in files {
            guard let path else { continue }
            let bytes = Array(try text().utf8)
            try await FileThreads.run { () throws(LocalFileError) in
                try LocalFile.replace(path, with: bytes)
            }
            print("Wrote \(path).")
        }
    }
}
