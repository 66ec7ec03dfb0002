import App
import Imaging

/// The goals of rendering, as rows that any machine can measure.
struct ThumbnailGoals: Sendable {
    let rounds: ThumbnailRounds
    let corpora: [ThumbnailCorpus]

    /// What the columns mean.
    static let legend = """
        goals: exactly the named levels are configured, nothing is written, and imaging.isolate is none. \
        "limit" is the time in libjpeg-turbo and libwebp alone for the same decode and the same \
        levels, without resampling; of two threads it is what the libraries gain. \
        The goals were set against a limit that resamples, too. "beside the limit" is a factor, or the \
        difference of two gains.
        """

    private static let boxes = [
        Level(name: "l", width: 640, height: 960), Level(name: "m", width: 320, height: 480),
        Level(name: "s", width: 160, height: 240), Level(name: "xs", width: 80, height: 120),
    ]
    private static let one = [boxes[1]]

    func cases() async throws -> [any BenchCase] {
        let times:
            [(corpus: String, format: ThumbnailFormat, levels: [Level], name: String, goal: Double)] =
                [
                    ("posters", .jpeg, Self.boxes, "four-levels", 1.3),
                    ("posters", .jpeg, Self.one, "one-level", 1.6),
                    ("covers", .jpeg, Self.boxes, "four-levels", 1.3),
                    ("large", .jpeg, Self.boxes, "four-levels", 1.2),
                    ("large", .jpeg, Self.one, "one-level", 1.35),
                    ("huge", .jpeg, Self.boxes, "four-levels", 1.15),
                    ("posters", .webp, Self.boxes, "four-levels", 1.15),
                ]
        var cases: [any BenchCase] = []
        for time in times {
            guard let corpus = corpora.first(where: { $0.name == time.corpus }) else { continue }
            let head = Self.head([time.corpus, time.format.rawValue, time.name, "cpu-ms"])
            cases.append(
                GoalCase(
                    head: head,
                    kind: .processorTime(
                        own: try await render(corpus, time.format, time.levels, head, "own"),
                        limit: try await render(
                            corpus, time.format, time.levels, head, "limit", isLimit: true)),
                    goal: time.goal))
        }
        guard let posters = corpora.first(where: { $0.name == "posters" }) else { return cases }
        return cases + (try await others(posters))
    }

    /// Memory, threads, isolation and starts.
    private func others(_ posters: ThumbnailCorpus) async throws -> [any BenchCase] {
        func own(
            _ head: BenchRow.Head, _ name: String, threads: Int = 1, underWay: Int? = nil,
            isLimit: Bool = false, isolation: String = "none"
        ) async throws -> OutcomeCase {
            try await render(
                posters, .jpeg, Self.boxes, head, name, threads: threads, underWay: underWay,
                isLimit: isLimit, isolation: isolation)
        }
        let memory = Self.head(["posters", "jpeg", "four-levels", "peak-mb"])
        let threads = Self.head(["posters", "jpeg", "four-levels", "two-threads"])
        let isolation = Self.head(["posters", "jpeg", "four-levels", "isolation-cpu-ms"])
        return [
            GoalCase(head: memory, kind: .memory(try await own(memory, "own")), goal: 48),
            GoalCase(
                head: threads,
                kind: .twoThreads(
                    // As many pictures under way as threads, like the limit's: with more, a second core
                    // reads and hashes beside a single render thread.
                    own: [
                        try await own(threads, "one", underWay: 1),
                        try await own(threads, "two", threads: 2, underWay: 2),
                    ],
                    limit: [
                        try await own(threads, "limit-one", isLimit: true),
                        try await own(threads, "limit-two", threads: 2, isLimit: true),
                    ]), goal: -0.05),
            GoalCase(
                head: isolation,
                kind: .isolation(
                    inside: try await own(isolation, "inside"),
                    isolated: try await own(isolation, "isolated", isolation: "all")), goal: 0.3),
            start(posters, ["jpeg", "one-level"], formats: "jpeg", levels: "m", goal: nil),
            start(posters, ["webp+jpeg", "ten-renditions"], formats: nil, levels: nil, goal: 100),
        ]
    }

    private static func head(_ what: [String]) -> BenchRow.Head {
        BenchRow.Head(.thumbnails, ["goals"] + what)
    }

    private func render(
        _ corpus: ThumbnailCorpus, _ format: ThumbnailFormat, _ levels: [Level],
        _ head: BenchRow.Head, _ name: String, threads: Int = 1, underWay: Int? = nil,
        isLimit: Bool = false, isolation: String = "none"
    ) async throws -> OutcomeCase {
        let job = RenderJob(
            files: corpus.files, levels: levels.map(\.name), formats: [format],
            concurrency: underWay ?? (isLimit ? threads : threads + 2),
            maxBytes: rounds.context.settings.imaging.maxBytes, isLimit: isLimit)
        let boxes = levels.map { "\($0.name)=\($0.width)x\($0.height)" }
        return try await rounds.outcome(
            job, head, in: "\(rounds.context.scratch)/\(head.id)/\(name)",
            environment: [
                "VITRINE_IMAGING_THREADS": "\(threads)", "VITRINE_IMAGING_ISOLATE": isolation,
                "VITRINE_LEVELS": boxes.joined(separator: ","),
            ])
    }

    /// `vitrine thumb` of one poster, with the settings in force.
    private func start(
        _ posters: ThumbnailCorpus, _ what: [String], formats: String?, levels: String?,
        goal: Double?
    ) -> GoalCase {
        let head = Self.head(["one-poster"] + what + ["thumb-ms"])
        let output = "\(rounds.context.scratch)/\(head.id)/out"
        var order = MeasuredProgram.Order(
            rounds.program,
            ["thumb", posters.files[0], "--force", "--output", output]
                + (formats.map { ["--formats", $0] } ?? [])
                + (levels.map { ["--levels", $0] } ?? []) + rounds.context.settingArguments)
        order.inheritsSettings = true
        let renditions =
            (formats == nil ? ThumbnailFormat.standard.count : 1)
            * (levels == nil ? rounds.context.settings.levels.count : 1)
        return GoalCase(
            head: head,
            kind: .program(
                ProgramCase(
                    head: head, order: order, variable: nil, output: output,
                    errors: "\(rounds.context.scratch)/errors.txt", images: 1,
                    expected: renditions)), goal: goal)
    }
}
