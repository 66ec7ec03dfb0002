import App
import FoundationEssentials
import Imaging
import Memory

/// `vitrine bench thumbnails`: rendering without a server, in a process for each round.
struct ThumbnailBench: Sendable {
    private let context: BenchContext
    private let rounds: ThumbnailRounds
    private let levels: [Level]
    private let formats: [ThumbnailFormat]
    private let threads: [Int]
    /// Whether the goals are measured, too: unless the options name what to measure.
    private let hasGoals: Bool

    init(_ context: BenchContext, _ options: ThumbnailBenchOptions) throws {
        self.context = context
        levels = try options.renditions.chosenLevels(of: context.settings.levels)
        let isChosen = options.formats != nil
        formats =
            isChosen || context.isQuick
            ? try options.renditions.chosenFormats() : [.webp, .jpeg, .avif, .png]
        threads = try options.threadCounts(cores: MachineProcessors.count())
        hasGoals =
            options.levels == nil && !isChosen && options.threads == nil && context.input == nil
        rounds = ThumbnailRounds(context)
    }

    func plan() async throws -> BenchPlan {
        let corpora: [ThumbnailCorpus]
        if let input = context.input {
            corpora = [
                try await .take(input, linkedInto: "\(context.scratch)/input")
            ]
        } else {
            context.say("Drawing pictures from seed \(context.seed).")
            corpora = try await ThumbnailCorpus.draw(
                into: "\(context.scratch)/corpus", seed: context.seed, isQuick: context.isQuick)
        }
        var plan = BenchPlan()
        for (number, corpus) in corpora.enumerated() {
            plan.cases += try await cases(corpus, isMain: number == 0)
        }
        if hasGoals {
            plan.cases += try await ThumbnailGoals(rounds: rounds, corpora: corpora).cases()
            plan.notes.append(ThumbnailGoals.legend)
        }
        plan.settings = settings(corpora)
        plan.libraries = try Renderer.libraryVersions().map { BenchSetting($0.name, $0.version) }
        if let main = corpora.first {
            let peers = ThumbnailPeers(rounds: rounds, levels: levels, corpus: main)
            let found = try await peers.plan(formats: peerFormats)
            plan.cases += found.cases
            plan.notes += found.notes
            plan.libraries += found.libraries
        }
        plan.finish = Self.addScaling
        return plan
    }

    /// Formats that peers are measured with.
    private var peerFormats: [ThumbnailFormat] {
        let both = formats.filter { $0 == .jpeg || $0 == .webp }
        return context.isQuick ? both.filter { $0 == .jpeg || both.count == 1 } : both
    }

    /// The cases of one corpus; of the main one also single levels, rare formats and threads.
    private func cases(_ corpus: ThumbnailCorpus, isMain: Bool) async throws -> [any BenchCase] {
        var cases: [any BenchCase] = []
        let common = formats.filter { $0 == .jpeg || $0 == .webp }
        for format in isMain ? formats : common {
            cases.append(try await render(corpus, [format], levels, threads: 1))
        }
        guard isMain else { return cases }
        for format in common {
            cases.append(try await render(corpus, [format], levels, threads: 1, lane: .libvips))
        }
        if common.count > 1 {
            cases.append(try await render(corpus, common, levels, threads: 1))
        }
        let first = common.last ?? formats[0]
        if levels.count > 1 {
            for level in levels {
                cases.append(try await render(corpus, [first], [level], threads: 1))
            }
        }
        for count in threads where count > 1 {
            cases.append(try await render(corpus, [first], levels, threads: count))
        }
        return cases
    }

    /// A case of this program's renderer, in a process of its own.
    private func render(
        _ corpus: ThumbnailCorpus, _ formats: [ThumbnailFormat], _ levels: [Level], threads: Int,
        lane: Lane.Choice = .auto
    ) async throws -> any BenchCase {
        // AVIF and PNG take many times as long a picture.
        let isSlow = formats.contains { $0 == .avif || $0 == .png }
        let files = isSlow ? Array(corpus.files.prefix(8)) : corpus.files
        let head = ThumbnailRounds.head(
            corpus, formats, levels, isAll: levels.count == self.levels.count,
            run: "threads=\(threads)", lane: lane)
        let job = RenderJob(
            files: files, levels: levels.map(\.name), formats: formats, concurrency: threads + 2,
            maxBytes: context.settings.imaging.maxBytes)
        return try await rounds.outcome(
            job, head, in: "\(context.scratch)/\(head.id)",
            environment: [
                "VITRINE_IMAGING_THREADS": "\(threads)", "VITRINE_IMAGING_LANE": lane.rawValue,
            ])
    }

    private func settings(_ corpora: [ThumbnailCorpus]) -> [BenchSetting] {
        let imaging = context.settings.imaging
        let boxes = levels.map { "\($0.name)=\($0.width)x\($0.height)" }
        return corpora.map { BenchSetting("pictures, \($0.name)", "\($0.files.count)") } + [
            BenchSetting("levels", boxes.joined(separator: ", ")),
            BenchSetting("JPEG quality", "\(imaging.jpegQuality)"),
            BenchSetting("WebP quality", "\(imaging.webpQuality), effort \(imaging.webpEffort)"),
            BenchSetting("AVIF quality", "\(imaging.avifQuality), effort \(imaging.avifEffort)"),
            BenchSetting("PNG compression", "\(imaging.pngCompression)"),
        ]
    }

    /// Adds to each row with several threads what they gain over one, round by round.
    static func addScaling(to rows: [BenchRow]) -> [BenchRow] {
        rows.map { row in
            guard row.head.peer == nil, let count = row.head["threads"].flatMap({ Int($0) }),
                count > 1, let own = row.headline,
                let single = rows.first(where: {
                    $0.id == row.id.replacing("threads=\(count)", with: "threads=1")
                })?.headline
            else { return row }
            var row = row
            let shares = zip(own.samples, single.samples).map { many, one -> Double? in
                guard let many, let one, one > 0 else { return nil }
                return 100 * many / (Double(count) * one)
            }
            row.figures.append(BenchFigure(.scaling, shares))
            return row
        }
    }
}
