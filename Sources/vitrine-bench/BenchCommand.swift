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
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("vitrine-bench-\(UUID().uuidString)", isDirectory: true).path
        let contexts = try contexts(below: scratch)
        let report = try await ProcessSignals.cancel { try await measure(contexts, scratch) }
        try await write(report)
        if contexts.count == 2 {
            let comparison = BenchComparison(
                report.only(configuration: contexts[0].name),
                report.only(configuration: contexts[1].name), tolerance: try comparing.share())
            print("\n" + comparison.text((contexts[0].name, contexts[1].name)))
        }
        if report.hasFailed { throw ExitCode(3) }
    }

    /// Returns what each configuration is measured with.
    private func contexts(below scratch: String) throws -> [BenchContext] {
        let vitrine = try SiblingProgram.path("vitrine", "The service")
        var contexts: [BenchContext] = []
        for file in [shared.config] + options.beside {
            var shared = shared
            shared.config = file
            var name = LocalFile.name(of: file ?? "").split(separator: ".").first ?? "default"
            if name == contexts.first?.name[...] { name += "-2" }
            contexts.append(
                BenchContext(
                    options: options, name: String(name),
                    settings: contexts.isEmpty ? try shared.start() : try shared.load().settings,
                    settingArguments: shared.arguments, scratch: "\(scratch)/\(name)",
                    vitrine: vitrine))
        }
        return contexts
    }

    /// Measures in a directory that is removed afterwards, also after Ctrl-C.
    private func measure(
        _ contexts: [BenchContext], _ scratch: String
    ) async throws -> BenchReport {
        var chosen = BenchSubject.allCases.filter(subjects.contains)
        if chosen.isEmpty { chosen = contexts.count > 1 ? [.thumbnails] : BenchSubject.allCases }
        return try await withEnd({
            await FileThreads.run {
                do {
                    try FileManager.default.removeItem(atPath: scratch)
                } catch {
                    StandardError.shared.line("vitrine: \(scratch) could not be removed: \(error)")
                }
            }
        }) {
            try await FileThreads.run {
                for context in contexts { try LocalFile.makeDirectory(context.scratch) }
            }
            return try await BenchRun(contexts: contexts, plan: plan).report(chosen)
        }
    }

    /// What one subject measures: each has a folder beside this file.
    @Sendable private func plan(
        _ subject: BenchSubject, _ context: BenchContext, _ closers: BenchClosers
    ) async throws -> BenchPlan {
        switch subject {
        case .thumbnails: try await ThumbnailBench(context, thumbnails).plan()
        case .store: try await StoreBench.plan(context, store, closers)
        case .fetch: try await FetchBench.plan(context, closers)
        case .serve: try await ServeBench(context, serve, closers).plan()
        case .warm: try await WarmBench.plan(context, closers)
        }
    }

    private func write(_ report: BenchReport) async throws {
        let files = [
            (options.json, { try compactJSON(report) + "\n" }),
            (options.html, { try BenchPage(report, tolerance: comparing.share()).html }),
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
