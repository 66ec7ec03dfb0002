import App
import ArgumentParser
import FoundationEssentials
import Glibc

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure this machine, or compare two measurements.",
        discussion: """
            Subjects: thumbnails renders pictures of all sizes; fetch downloads from the demo's origin; \
            serve answers requests over loopback; warm fills a cache; store puts, loads and finds blobs; \
            memory compares policies of the cache in memory. Every case runs in rounds that take turns, in \
            processes of its own, and is printed as the median with its spread. Nothing is measured from a \
            cache unless the row says warm. Exits with 0 when all went well, 3 when some work failed or \
            --compare finds a regression, 1 when the run failed.
            """)

    @Argument(
        help: ArgumentHelp(
            "What to measure; several may be named. (default: all)",
            valueName: "subject"))
    var subjects: [BenchSubject] = []

    @OptionGroup(title: "Options of every subject") var options: BenchOptions

    @OptionGroup(title: "Options of thumbnails") var thumbnails: ThumbnailBenchOptions

    @OptionGroup(title: "Options of serve") var serve: ServeBenchOptions

    @OptionGroup(title: "Options of store") var store: StoreBenchOptions

    @OptionGroup(title: "Options of memory") var memory: MemoryBenchOptions

    @OptionGroup(title: "Comparing") var comparing: CompareOptions

    @OptionGroup(title: "Settings") var shared: SharedOptions

    func validate() throws {
        if comparing.isWanted, !subjects.isEmpty {
            throw ValidationError(
                "--compare reads two reports and measures nothing; remove the subject.")
        }
    }

    func run() async throws {
        if comparing.isWanted { return try await comparing.run() }
        let settings = try shared.start()
        let report = try await Interruption.cancels { try await measure(settings) }
        try await write(report)
        if report.hasFailed { throw ExitCode(3) }
    }

    /// Measures in a directory that is removed afterwards, also after Ctrl-C.
    private func measure(_ settings: Settings) async throws -> BenchReport {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("vitrine-bench-\(UUID().uuidString)", isDirectory: true).path
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.makeDirectory(scratch)
        }
        let options = options
        let context = BenchContext(
            rounds: options.roundCount, seed: options.seed, isQuick: options.quick,
            budget: { [quick = options.quick] in quick ? $0.quickBudget : nil },
            input: options.input, wantsPeer: { options.wants(peer: $0) }, settings: settings,
            settingArguments: shared.arguments, scratch: scratch,
            say: { StandardError.shared.line($0) })
        let outcome: Result<BenchReport, any Error>
        do {
            outcome = .success(
                try await BenchRun(context: context, plan: plan).report(
                    subjects.isEmpty ? BenchSubject.allCases : unique(subjects)))
        } catch {
            outcome = .failure(error)
        }
        await FileThreads.run {
            do {
                try FileManager.default.removeItem(atPath: scratch)
            } catch {
                StandardError.shared.line("vitrine: \(scratch) could not be removed: \(error)")
            }
        }
        return try outcome.get()
    }

    /// What one subject measures: each has a folder beside this file.
    @Sendable private func plan(
        _ subject: BenchSubject, _ context: BenchContext
    ) async throws -> BenchPlan {
        switch subject {
        case .thumbnails: try await ThumbnailBench(context, thumbnails).plan()
        case .store: try await StoreBench(context, store).plan()
        case .memory: try await MemoryBench(context, memory).plan()
        case .fetch: try await FetchBench.plan(context)
        case .serve: try await ServeBench.plan(context, serve.settings())
        case .warm: try await WarmBench.plan(context)
        }
    }

    private func unique(_ subjects: [BenchSubject]) -> [BenchSubject] {
        BenchSubject.allCases.filter(subjects.contains)
    }

    private func write(_ report: BenchReport) async throws {
        if let path = options.json {
            let bytes = Array(try prettyJSON(report).utf8)
            try await FileThreads.run { () throws(LocalFileError) in
                try LocalFile.replace(path, with: bytes + [UInt8(ascii: "\n")])
            }
            print("Wrote \(path).")
        }
        if let path = options.html {
            let bytes = Array(BenchPage(report).html.utf8)
            try await FileThreads.run { () throws(LocalFileError) in
                try LocalFile.replace(path, with: bytes)
            }
            print("Wrote \(path).")
        }
    }
}
