/// One thing to be measured: it becomes one row.
protocol BenchCase: Sendable {
    var head: BenchRow.Head { get }
    /// Rounds that are run first and not counted.
    var warmUps: Int { get }

    /// Called once, before the first round of any case. What is thrown becomes the row's error.
    func prepare() async throws
    /// One measurement. `number` counts from 1; warm-ups have 0 and less.
    func round(_ number: Int) async throws -> BenchSample
    /// Called once after the last round, also after a failure or a cancellation.
    func cleanUp() async
}

extension BenchCase {
    var warmUps: Int { 1 }
    func prepare() async throws {}
    func cleanUp() async {}
}

/// What one round of one case gave.
struct BenchSample: Sendable {
    /// The same quantities in every round, the headline first.
    var values: [(quantity: BenchQuantity, value: Double)]
    /// Latencies of this round; the runner adds them up.
    var latencies: LatencyHistogram?
    /// Parts of the work that failed.
    var errors = 0
    /// The first of them, as a sentence.
    var firstError: String?
    /// SHA-256 over all outputs. The runner counts a round with another digest as an error.
    var digest: String?

    init(
        _ values: [(BenchQuantity, Double)], latencies: LatencyHistogram? = nil, errors: Int = 0,
        firstError: String? = nil, digest: String? = nil
    ) {
        self.values = values.map { (quantity: $0.0, value: $0.1) }
        self.latencies = latencies
        self.errors = errors
        self.firstError = firstError
        self.digest = digest
    }
}

/// The cases of one subject.
struct BenchPlan: Sendable {
    var cases: [any BenchCase] = []
    /// Added to the report's settings.
    var settings: [BenchSetting] = []
    /// Added to the report's notes, such as peers that are not installed.
    var notes: [String] = []
    /// Libraries and peers with their versions, added to the machine's.
    var libraries: [BenchSetting] = []
    /// Adds figures that follow from several rows, after the last round.
    var finish: @Sendable ([BenchRow]) -> [BenchRow] = { $0 }
    /// Called once after all cases were cleaned up: ends what they shared.
    var close: @Sendable () async -> Void = {}
}
