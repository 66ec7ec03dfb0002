import App
import ArgumentParser
import Console
import FoundationEssentials
import Imaging
import Memory
import Store
import Threads

/// The options of `vitrine bench thumbnails`.
struct ThumbnailBenchOptions: ParsableArguments {
    @OptionGroup var renditions: RenditionOptions

    @Option(
        help: ArgumentHelp(
            "Numbers of render threads, separated by commas. (default: 1, doubled up to the cores)",
            valueName: "numbers"))
    var threads: String?

    /// Returns the numbers in rising order.
    func threadCounts(cores: Int) throws(CommandError) -> [Int] {
        guard let threads else {
            return (0..<16).map { 1 << $0 }.filter { $0 < cores } + [cores]
        }
        var counts: Set<Int> = []
        for text in threads.split(separator: ",") {
            guard let count = Int(text), (1...1_024).contains(count) else {
                throw .usage("--threads: “\(text)” is not a number from 1 to 1024.")
            }
            counts.insert(count)
        }
        if counts.isEmpty { throw .usage("--threads is empty; name a number, such as 1.") }
        return counts.sorted()
    }
}

/// `vitrine bench thumbnails`: rendering without a server, in a process for each round.
struct ThumbnailBench: Sendable {
    let context: BenchContext
    let levels: [Level]
    let formats: [ThumbnailFormat]
    private let threads: [Int]

    init(_ context: BenchContext, _ options: ThumbnailBenchOptions) throws {
        self.context = context
        levels = try options.renditions.chosenLevels(of: context.settings.levels)
        let all: [ThumbnailFormat] = [.webp, .jpeg, .avif, .png]
        formats = try options.renditions.chosenFormats(
            byDefault: context.isQuick ? ThumbnailFormat.standard : all)
        threads = try options.threadCounts(cores: MachineProcessors.count())
    }

    func plan() async throws -> BenchPlan {
        let corpora = try await Corpus.all(context)
        var plan = BenchPlan()
        let quality = await quality(of: corpora[0])
        if quality.isEmpty {
            plan.notes.append(
                "Quality is not measured. It needs ssimulacra2 in PATH; pip has it.")
        }
        let common = formats.filter { $0 == .jpeg || $0 == .webp }
        plan.cases = try await mainCases(corpora[0], common, quality)
        for corpus in corpora.dropFirst() {
            for format in common { plan.cases.append(try await render(corpus, [format])) }
        }
        let inputs =
            context.isQuick || !common.contains(.jpeg) ? [] : try await Corpus.inputs(context)
        for corpus in inputs {
            for levels in inputLevels {
                plan.cases.append(try await render(corpus, [.jpeg], levels))
                try await addPeers(corpus, [.jpeg], levels, to: &plan)
            }
        }
        plan.settings = settings(corpora + inputs)
        plan.libraries = try Renderer.libraryVersions().map { BenchSetting($0.name, $0.version) }
        let ofPeers = context.isQuick && common.count > 1 ? [.jpeg] : common
        try await addPeers(corpora[0], ofPeers, levels, to: &plan)
        return plan
    }

    /// For each format of originals: the level in the middle, and all of them.
    private var inputLevels: [[Level]] {
        let middle = levels.sorted { $0.width * $0.height < $1.width * $1.height }[levels.count / 2]
        return levels.count > 1 ? [[middle], levels] : [levels]
    }

    /// The cases of the main corpus: rare formats, single levels, libvips' lane and threads, too.
    private func mainCases(
        _ corpus: Corpus, _ common: [ThumbnailFormat], _ quality: [ThumbnailFormat: Double]
    ) async throws -> [BenchCase] {
        var cases: [BenchCase] = []
        for format in formats {
            cases.append(try await render(corpus, [format], quality: quality))
        }
        for format in common where !context.isQuick {
            cases.append(try await render(corpus, [format], lane: .libvips))
        }
        if common.count > 1 { cases.append(try await render(corpus, common)) }
        let first = common.last ?? formats[0]
        for level in levels where levels.count > 1 {
            cases.append(try await render(corpus, [first], [level]))
        }
        for count in threads where count > 1 {
            cases.append(try await render(corpus, [first], threads: count, quality: quality))
        }
        return cases
    }

    /// A case of this program's renderer, in a process of its own.
    private func render(
        _ corpus: Corpus, _ formats: [ThumbnailFormat], _ only: [Level]? = nil, threads: Int = 1,
        lane: Lane.Choice = .auto, quality: [ThumbnailFormat: Double] = [:]
    ) async throws -> BenchCase {
        let levels = only ?? levels
        // AVIF and PNG take many times as long a picture.
        let isSlow = formats.contains { $0 == .avif || $0 == .png }
        let job = RenderJob(
            files: isSlow ? Array(corpus.files.prefix(8)) : corpus.files,
            levels: levels.map(\.name), formats: formats, concurrency: threads + 2,
            maxBytes: context.settings.imaging.maxBytes)
        let head = head(corpus, formats, levels, "threads=\(threads)", lane: lane)
        var order = MeasuredProgram.Order(
            "/proc/self/exe", [BenchRenderCommand.name] + context.settingArguments)
        order.inheritsSettings = true
        order.environment = ["VITRINE_IMAGING_THREADS": "\(threads)"]
        if lane != .auto { order.environment["VITRINE_IMAGING_LANE"] = lane.rawValue }
        return try await outcomeCase(head, order, job, quality: quality[formats[0]])
    }

    /// A program that reads a job, measures itself and prints a ``RenderOutcome``. It warms up with a
    /// picture of its own.
    ///
    /// - Parameter quality: of its format, which is the same in every round.
    func outcomeCase(
        _ head: BenchRow.Head, _ order: MeasuredProgram.Order, _ job: some Encodable,
        quality: Double? = nil
    ) async throws -> BenchCase {
        let scratch = "\(context.scratch)/\(head.id)"
        try await context.write(try JSONEncoder().encode(job), to: "\(scratch)/job.json")
        var order = order
        order.input = "\(scratch)/job.json"
        let output = "\(scratch)/outcome.json"
        (order.output, order.errors) = (output, "\(scratch)/errors.txt")
        let command = order
        return BenchCase(head, warmUps: 0) { _ in
            _ = try await MeasuredProgram.run(command)
            let text = await FileThreads.run { ProcFile.text(output) ?? "" }
            guard let outcome = try? JSONDecoder().decode(RenderOutcome.self, from: Data(text.utf8))
            else { throw CommandError("\(command.path) printed something other than its figures.") }
            var sample = outcome.sample
            if let quality { sample.add(.quality, quality) }
            return sample
        }
    }

    func head(
        _ corpus: Corpus, _ formats: [ThumbnailFormat], _ levels: [Level], _ run: String,
        lane: Lane.Choice = .auto, peer: (name: String, version: String)? = nil, note: String? = nil
    ) -> BenchRow.Head {
        let isAll = levels.count == self.levels.count
        let format = formats.map(\.words).joined(separator: " and ")
        let count = levels.count < 11 ? Self.numbers[levels.count] : "\(levels.count)"
        let levelWords =
            levels.count == 1 ? "\(format) level \(levels[0].name)" : "\(count) \(format) levels"
        let runWords =
            switch run {
            case "program": "vitrine thumb with its start"
            case "threads=1": "one thread"
            default: run.replacing("threads=", with: "threads: ")
            }
        var (what, words) = ([run], [corpus.name, levelWords, runWords])
        if lane != .auto {
            what.append("lane=\(lane.rawValue)")
            words.append("libvips' lane")
        }
        let kind = formats.map(\.rawValue).joined(separator: "+")
        let chosen = isAll ? "all-levels" : levels.map(\.name).joined(separator: "+")
        var head = BenchRow.Head(
            .thumbnails, [corpus.name, kind, chosen] + what, words.joined(separator: ", "),
            peer: peer, note: note)
        head.labels.append(BenchSetting("levels", levelWords))
        return head
    }

    private static let numbers = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ]

    private func settings(_ corpora: [Corpus]) -> [BenchSetting] {
        corpora.map { BenchSetting("pictures, \($0.name)", "\($0.files.count)") } + [
            BenchSetting("measured levels", levels.map(\.name).joined(separator: ", "))
        ]
    }
}

// How much is lost in encoding: thumbnails beside the same ones as PNG, by SSIMULACRA2.
extension ThumbnailBench {
    /// Pictures that are compared. Half a second each, and encoders treat drawn pictures alike.
    private static let compared = 4
    /// The tool's name in libjxl, and that of the package of Python.
    private static let qualityTools = ["ssimulacra2", "ssymulacra2"]

    /// Returns the mean over pictures and levels by format; empty if the tool isn't in `PATH`.
    func quality(of corpus: Corpus) async -> [ThumbnailFormat: Double] {
        guard let tool = Self.qualityTools.compactMap(MeasuredProgram.find).first else {
            return [:]
        }
        let output = "\(context.scratch)/quality"
        let order = context.vitrine(
            ["thumb"] + corpus.files.prefix(Self.compared) + ["-o", output]
                + ["--formats", (formats + [.png]).map(\.rawValue).joined(separator: ",")]
                + ["--levels", levels.map(\.name).joined(separator: ",")])
        guard (try? await MeasuredProgram.run(order)) != nil else { return [:] }
        let names = await FileThreads.run { (try? LocalFile.names(in: output)) ?? [] }
        var figures: [ThumbnailFormat: Double] = [:]
        for format in formats where format != .png {
            var scores: [Double] = []
            for name in names where name.hasSuffix(".\(format.fileExtension)") {
                let lossless = name.dropLast(format.fileExtension.count) + "png"
                let text = await MeasuredProgram.output(
                    of: tool, ["\(output)/\(lossless)", "\(output)/\(name)"])
                if let score = text.flatMap(Self.score) { scores.append(score) }
            }
            if !scores.isEmpty {
                figures[format] = scores.reduce(0, +) / Double(scores.count)
            }
        }
        return figures
    }

    /// Returns the first number that a text has on a line of its own.
    static func score(in text: String) -> Double? {
        text.split(whereSeparator: \.isNewline).lazy.compactMap { Double($0) }.first
    }
}

extension ThumbnailFormat {
    fileprivate var words: String { self == .webp ? "WebP" : rawValue.uppercased() }
}
