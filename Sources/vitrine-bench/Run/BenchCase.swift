import Synchronization

/// One thing to be measured: it becomes one row.
struct BenchCase: Sendable {
    var head: BenchRow.Head
    /// Rounds that are run first and not counted.
    var warmUps: Int
    /// Measures once. The number counts from 1; warm-ups have 0 and less.
    var round: @Sendable (_ number: Int) async throws -> BenchSample

    init(
        _ head: BenchRow.Head, warmUps: Int = 1,
        round: @escaping @Sendable (_ number: Int) async throws -> BenchSample
    ) {
        self.head = head
        self.warmUps = warmUps
        self.round = round
    }
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

    /// What most rows have: things a second of wall time, and processor time for each.
    ///
    /// - Parameters:
    ///   - thing: what is counted, such as `image`.
    ///   - unit: in which the processor time of one is printed.
    ///   - wall: seconds.
    ///   - processor: seconds; nil if they can't be read.
    static func work(
        _ count: Int, of thing: String, in unit: TimeUnit, wall: Double, processor: Double?
    ) -> BenchSample {
        var sample = BenchSample([
            (.rate("\(thing)s/s"), wall > 0 ? Double(count) / wall : 0)
        ])
        if let processor {
            let each = processor / Double(max(1, count)) * unit.perSecond
            sample.add(.processorTime("\(unit.rawValue)/\(thing)"), each)
        }
        return sample
    }

    enum TimeUnit: String {
        case milliseconds = "ms"
        case microseconds = "µs"

        var perSecond: Double { self == .milliseconds ? 1e3 : 1e6 }
    }

    mutating func add(_ quantity: BenchQuantity, _ value: Double) {
        values.append((quantity: quantity, value: value))
    }

    /// Counts an error with this sentence unless the condition holds.
    mutating func expect(_ holds: Bool, _ sentence: String) {
        guard !holds else { return }
        errors += 1
        firstError = firstError ?? sentence
    }
}

/// The cases of one subject.
struct BenchPlan: Sendable {
    var cases: [BenchCase] = []
    /// Added to the report's settings.
    var settings: [BenchSetting] = []
    /// Added to the report's notes, such as peers that are not installed.
    var notes: [String] = []
    /// Libraries and peers with their versions, added to the machine's.
    var libraries: [BenchSetting] = []

    /// Adds the plan of another configuration, whose rows and settings have its name. Nil is the
    /// only one.
    mutating func add(_ other: BenchPlan, configuration: String?) {
        cases += other.cases.map { one in
            var one = one
            if let configuration { one.head = one.head.with(configuration: configuration) }
            return one
        }
        settings += other.settings.map { setting in
            configuration.map { setting.with(configuration: $0) } ?? setting
        }
        notes += other.notes.filter { !notes.contains($0) }
        libraries += other.libraries.filter { !libraries.contains($0) }
    }
}

/// What has to be stopped when a subject is done, or when it can't begin.
final class BenchClosers: Sendable {
    private let closers = Mutex<[@Sendable () async -> Void]>([])
    private let programs = Mutex<[@Sendable () -> String?]>([])

    /// Why one of the programs that help to measure has ended, as a sentence; nil while all run.
    var endedProgram: String? { programs.withLock(\.self).lazy.compactMap { $0() }.first }

    /// - Parameter ending: returns why a program that helps to measure has ended, as a sentence.
    func watch(_ ending: @escaping @Sendable () -> String?) {
        programs.withLock { $0.append(ending) }
    }

    func add(_ close: @escaping @Sendable () async -> Void) {
        closers.withLock { $0.append(close) }
    }

    /// Stops everything, the last first. Idempotent.
    func close() async {
        let all = closers.withLock { closers in
            defer { closers = [] }
            return closers
        }
        for close in all.reversed() { await close() }
    }
}
